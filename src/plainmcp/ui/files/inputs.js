// The inputs for single values: text, numbers, dates, yes or no, choices, and JSON for what has no form.
//
// A field has `element`; `read(path, mistakes)` returns its value, or undefined if it is left out; `write(value)` and
// `show(mistakes)` change what people see. Fields with parts are in form.js.

import { fill, h, newId } from "./dom.js";
import { limitsOf } from "./schema.js";

/** The label, the hint and the place for mistakes around the input that `build` makes. */
export function labelled({ name, required, schema, kind, nullable }, build) {
  const id = newId("field");
  const error = h("p", { class: "error", id: `${id}-error`, role: "alert" });
  const notes = [schema.description, [...limitsOf(schema), ...(nullable ? ["may be null"] : [])].join(", "), defaultOf(schema)].filter(Boolean);
  const hint = notes.length ? h("p", { class: "hint", id: `${id}-hint` }, notes.join(" · ")) : null;
  const input = build({
    id,
    "aria-describedby": [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(" "),
    "aria-required": required ? "true" : null,
  });
  const label = h("label", { for: id }, h("b", {}, name), " ", h("span", { class: "kind" }, kind), required ? h("span", { class: "required" }, " required") : null);
  const element = h("div", { class: "field" }, label, hint, input, error);
  const show = (mistakes) => {
    fill(error, mistakes.map((one) => one.message).join("; "));
    input.toggleAttribute("aria-invalid", mistakes.length > 0);
    if (mistakes.length) input.setAttribute("aria-invalid", "true");
  };
  return { element, input, show };
}

const defaultOf = (schema) => (schema.default === undefined || schema.default === null ? "" : `default: ${JSON.stringify(schema.default)}`);

const KINDS = { date: "date", time: "time", email: "email", uri: "url" };

/** A text, also a date or a time. */
export function textField(about) {
  const { schema, required } = about;
  const isLine = schema.format || schema.pattern || schema.maxLength <= 200;
  const type = KINDS[schema.format] ?? "text";
  const place = schema.format === "date-time" ? "2026-07-28T12:00:00Z" : (schema.examples?.[0] ?? "");
  const shown = labelled({ ...about, kind: schema.format ?? "text" }, (attributes) =>
    isLine
      ? h("input", { ...attributes, type, placeholder: place, step: type === "time" ? "1" : null, autocomplete: "off" })
      : h("textarea", { ...attributes, rows: "1", placeholder: place, spellcheck: "false" }),
  );
  let isTouched = false; // a required text may be empty once somebody has been there
  shown.input.addEventListener("input", () => (isTouched = true));
  return {
    ...shown,
    read: () => shown.input.value || (required && isTouched ? "" : undefined),
    write: (value) => {
      isTouched = value === "";
      shown.input.value = value === undefined || value === null ? "" : String(value);
    },
  };
}

/** A number. */
export function numberField(about) {
  const { schema } = about;
  const isWhole = schema.type === "integer";
  const shown = labelled({ ...about, kind: schema.type }, (attributes) =>
    h("input", { ...attributes, type: "text", inputmode: isWhole ? "numeric" : "decimal", autocomplete: "off", placeholder: schema.default ?? "" }),
  );
  const read = (path, mistakes) => {
    const text = shown.input.value.trim();
    if (!text) return undefined;
    if (Number.isFinite(Number(text))) return Number(text);
    mistakes.push({ path, message: "is a number" });
    return undefined;
  };
  return { ...shown, read, write: (value) => (shown.input.value = value === undefined || value === null ? "" : String(value)) };
}

/** One of several values. */
export function choiceField(about, choices) {
  const { schema, required } = about;
  const none = required && schema.default === undefined ? "choose…" : schema.default === undefined ? "not set" : `default: ${JSON.stringify(schema.default)}`;
  const shown = labelled({ ...about, kind: "choice", schema: { ...schema, default: undefined } }, (attributes) =>
    h("select", attributes, h("option", { value: "" }, none), choices.map((choice, index) => h("option", { value: String(index) }, choice.title))),
  );
  if (choices.length === 1 && required) shown.input.value = "0";
  const indexOf = (value) => choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
  return {
    ...shown,
    read: () => (shown.input.value === "" ? undefined : choices[Number(shown.input.value)].value),
    write: (value) => (shown.input.value = value === undefined || indexOf(value) < 0 ? "" : String(indexOf(value))),
  };
}

/** Yes or no. */
export function booleanField(about) {
  return choiceField({ ...about }, [{ value: true, title: "true" }, { value: false, title: "false" }]);
}

/** Several of a few values, each once. */
export function severalField(about, choices) {
  const boxes = choices.map((choice) => ({ choice, id: newId("box"), box: h("input", { type: "checkbox" }) }));
  const shown = labelled({ ...about, kind: "several" }, (attributes) =>
    h("div", { ...attributes, role: "group", "aria-required": null, "aria-label": about.name, class: "boxes" }, boxes.map(({ choice, box }) => h("label", {}, box, " ", choice.title))),
  );
  let isTouched = false;
  shown.input.addEventListener("change", () => (isTouched = true));
  return {
    ...shown,
    read: () => {
      const values = boxes.filter(({ box }) => box.checked).map(({ choice }) => choice.value);
      return values.length || about.required || isTouched ? values : undefined;
    },
    write: (value) => boxes.forEach(({ choice, box }) => (box.checked = Boolean(value?.includes?.(choice.value)))),
  };
}

/** Any value, as JSON. */
export function jsonField(about) {
  const shown = labelled({ ...about, kind: "JSON" }, (attributes) =>
    h("textarea", { ...attributes, rows: "2", class: "code", spellcheck: "false", placeholder: about.schema.type === "object" ? "{}" : "JSON" }),
  );
  const read = (path, mistakes) => {
    if (!shown.input.value.trim()) return undefined;
    try {
      return JSON.parse(shown.input.value);
    } catch (error) {
      mistakes.push({ path, message: `is not JSON: ${error.message}` });
      return undefined;
    }
  };
  return { ...shown, read, write: (value) => (shown.input.value = value === undefined ? "" : JSON.stringify(value, null, 2)) };
}
