// The form for the arguments of a schema: its fields, or all of them as raw JSON.

import { check } from "./check.js";
import { fill, h, newId } from "./dom.js";
import { fieldFor, fieldsOf } from "./fields.js";
import { variantsOf } from "./schema.js";

/** A form for the arguments of a schema, with a switch to raw JSON. `read` returns `{ value, mistakes }`. */
export function formFor(schema) {
  const inner = schema.properties || variantsOf(schema, schema).variants.length < 2 ? fieldsOf(schema, schema) : oneField(schema);
  const fields = h("div", { class: "fields" }, inner.isEmpty ? h("p", { class: "hint empty" }, "No arguments.") : inner.elements);
  const id = newId("raw");
  const text = h("textarea", { id, class: "code raw", rows: "8", spellcheck: "false", "aria-describedby": `${id}-error`, "aria-label": "Arguments as JSON", hidden: true });
  const error = h("p", { class: "error", id: `${id}-error`, role: "alert" });
  const toggle = h("button", { type: "button", class: "small toggle", "aria-pressed": "false", click: () => setRaw(text.hidden) }, "Raw JSON");

  const setRaw = (isRaw) => {
    if (isRaw) text.value = JSON.stringify(inner.read([], []), null, 2);
    else {
      const { value, mistakes } = parse(text.value);
      if (mistakes.length) return fill(error, mistakes[0].message);
      inner.write(value);
    }
    fill(error);
    text.hidden = !isRaw;
    fields.hidden = isRaw;
    toggle.setAttribute("aria-pressed", String(isRaw));
    return isRaw && text.focus();
  };
  const read = () => {
    if (!text.hidden) return parse(text.value);
    const mistakes = [];
    const value = inner.read([], mistakes);
    const marked = new Set(mistakes.map((one) => one.path.join("/")));
    mistakes.push(...check(schema, value).filter((one) => !marked.has(one.path.join("/"))));
    return { value, mistakes };
  };
  const show = (mistakes) => {
    if (!text.hidden) fill(error, mistakes.map((one) => one.message).join("; "));
    else inner.show(mistakes);
  };
  const write = (value) => {
    inner.write(value);
    text.value = JSON.stringify(value ?? {}, null, 2);
  };
  return { element: h("div", { class: "form" }, fields, text, error), toggle, inputs: inner.inputs, read, show, write };
}

/** The fields of a schema that is a union as a whole. */
function oneField(schema) {
  const field = fieldFor(schema, "arguments", true, schema);
  return { ...field, elements: [field.element], inputs: new Map(), read: (path, mistakes) => field.read(path, mistakes) ?? {} };
}

function parse(text) {
  try {
    const value = JSON.parse(text.trim() || "{}");
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return { value, mistakes: isObject ? [] : [{ path: [], message: "the arguments are a JSON object" }] };
  } catch (problem) {
    return { value: {}, mistakes: [{ path: [], message: `this is not JSON: ${problem.message}` }] };
  }
}
