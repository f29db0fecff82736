// Fields with parts, from JSON Schema: objects, lists, maps and unions of the inputs in inputs.js.

import { check } from "./check.js";
import { fill, h, newId } from "./dom.js";
import { booleanField, choiceField, jsonField, numberField, severalField, textField } from "./inputs.js";
import { choicesOf, discriminatorOf, limitsOf, resolve, tagOf, titleOf, variantsOf } from "./schema.js";

const MAX_DEPTH = 8; // of nested objects; deeper ones are JSON
const MAX_OPEN = 2; // deeper objects that may be left out, such as those of a tree, are built when they are wanted

/** The field for a schema; one that is required and left empty is null, where null is allowed. */
export function fieldFor(schema, name, required, root, depth = 0) {
  const field = buildField(schema, name, required, root, depth);
  if (!required || !variantsOf(schema, root).nullable) return field;
  return { ...field, read: (path, mistakes) => field.read(path, mistakes) ?? null };
}

function buildField(schema, name, required, root, depth) {
  const choices = choicesOf(schema, root);
  const whole = resolve(schema, root);
  const { variants, nullable, about: union } = variantsOf(schema, root);
  const about = { name, required, nullable, root, depth, schema: { ...variants[0], ...withoutUnion(whole) } };
  if (choices) return choiceField({ ...about, schema: whole }, choices);
  if (variants.length > 1) return unionField(about, variants, union);
  const [part] = variants;
  const inner = choicesOf(part, root);
  if (inner) return choiceField({ ...about, schema: part }, inner);
  about.schema = part;
  switch (part.type) {
    case "string": return textField(about);
    case "integer": case "number": return numberField(about);
    case "boolean": return booleanField(about);
    case "array": return arrayField(about);
    case "object":
      if (depth >= MAX_DEPTH) return jsonField(about);
      return required ? (nullable ? laterField(about) : objectField(about)) : depth > MAX_OPEN ? laterField(about) : objectField(about);
  }
  return part.properties && depth < MAX_DEPTH ? objectField(about) : jsonField(about);
}

const withoutUnion = ({ anyOf, oneOf, type, ...others }) => others;

/** A frame around the parts of a value, with its name and its notes. */
function framed({ name, required, schema }, kind, ...children) {
  const id = newId("group");
  const error = h("p", { class: "error", role: "alert", id: `${id}-error` });
  const notes = [schema.description, limitsOf(schema).join(", ")].filter(Boolean).join(" · ");
  const element = h(
    "fieldset",
    { class: "group", "aria-describedby": `${id}-error` },
    h("legend", {}, h("b", {}, name), " ", h("span", { class: "kind" }, kind), required ? h("span", { class: "required" }, " required") : null),
    notes ? h("p", { class: "hint" }, notes) : null,
    children,
    error,
  );
  return { element, showOwn: (mistakes) => fill(error, mistakes.map((one) => one.message).join("; ")) };
}

const below = (mistakes, step) => mistakes.filter((one) => one.path[0] === step).map((one) => ({ ...one, path: one.path.slice(1) }));
const own = (mistakes) => mistakes.filter((one) => !one.path.length);

// Objects ------------------------------------------------------------------------------------------

/** The fields of an object without a frame: the arguments of a tool. */
export function fieldsOf(schema, root, depth = 0, skipped = null) {
  const part = resolve(schema, root);
  const names = Object.keys(part.properties ?? {}).filter((name) => name !== skipped);
  const fields = new Map(names.map((name) => [name, fieldFor(part.properties[name], name, part.required?.includes(name) ?? false, root, depth + 1)]));
  const others = part.additionalProperties; // what else there may be: a schema, or true or false
  const extra = others ? mapEntries(others, root, depth + 1) : null;
  let kept = {}; // values without a field, which raw JSON or a URL may bring
  const read = (path, mistakes) => {
    const value = {};
    for (const [name, field] of fields) {
      const one = field.read([...path, name], mistakes);
      if (one !== undefined) value[name] = one;
    }
    return extra ? { ...value, ...extra.read(path, mistakes) } : { ...value, ...kept };
  };
  const write = (value) => {
    for (const [name, field] of fields) field.write(value?.[name]);
    kept = Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !fields.has(name) && name !== skipped));
    extra?.write(kept);
  };
  const show = (mistakes) => {
    for (const [name, field] of fields) field.show(below(mistakes, name));
    extra?.show(mistakes);
  };
  const elements = [[...fields.values()].map((field) => field.element), extra?.element];
  const inputs = new Map([...fields].filter(([, field]) => field.input).map(([name, field]) => [name, field.input]));
  return { elements, inputs, read, write, show, isEmpty: !fields.size && !extra };
}

function objectField(about) {
  const { schema, root, depth, required } = about;
  const inner = fieldsOf(schema, root, depth);
  if (inner.isEmpty) return jsonField(about);
  return optional(about, "object", inner, (value) => required || Object.keys(value).length > 0);
}

/** An object that is left out until somebody adds it. */
function laterField(about) {
  const place = h("div", { class: "field" });
  let field = null;
  const close = () => {
    field = null;
    fill(place, h("button", { type: "button", class: "small", click: () => open().element.querySelector("input, textarea, select, button")?.focus() }, `Add ${about.name}`));
  };
  const open = () => {
    field = objectField({ ...about, required: true });
    fill(place, field.element, h("button", { type: "button", class: "small", click: close }, `Leave out ${about.name}`));
    return field;
  };
  close();
  return {
    element: place,
    read: (path, mistakes) => field?.read(path, mistakes),
    write: (value) => (value === undefined || value === null ? close() : open().write(value)),
    show: (mistakes) => field?.show(mistakes),
  };
}

function optional(about, kind, inner, isGiven) {
  const { element, showOwn } = framed(about, kind, inner.elements);
  const read = (path, mistakes) => {
    const value = inner.read(path, mistakes);
    return isGiven(value) ? value : undefined;
  };
  const show = (mistakes) => {
    showOwn(own(mistakes));
    inner.show(mistakes);
  };
  return { element, read, write: inner.write, show };
}

/** Names and values that the user chooses. */
function mapEntries(schema, root, depth) {
  let rows = [];
  const list = h("div", { class: "items" });
  const add = (name = "", value = undefined) => {
    const key = h("input", { type: "text", class: "key", value: name, "aria-label": "Name of the entry", placeholder: "name" });
    const field = fieldFor(schema, "value", true, root, depth);
    const row = { key, field, element: h("div", { class: "item" }, key, field.element, removeButton(() => remove(row))) };
    field.write(value);
    rows.push(row);
    list.append(row.element);
    return row;
  };
  const remove = (row) => {
    rows = rows.filter((one) => one !== row);
    row.element.remove();
  };
  return {
    element: h("div", {}, list, h("button", { type: "button", class: "small", click: () => add().key.focus() }, "Add an entry")),
    read: (path, mistakes) => Object.fromEntries(rows.filter((row) => row.key.value).map((row) => [row.key.value, row.field.read([...path, row.key.value], mistakes)])),
    write: (value) => {
      rows.slice().forEach(remove);
      Object.entries(value ?? {}).forEach(([name, one]) => add(name, one));
    },
    show: (mistakes) => rows.forEach((row) => row.field.show(below(mistakes, row.key.value))),
  };
}

const removeButton = (remove) => h("button", { type: "button", class: "small", "aria-label": "Remove this item", title: "Remove", click: remove }, "×");

// Lists --------------------------------------------------------------------------------------------

function arrayField(about) {
  const { schema, root, depth, name, required } = about;
  const choices = schema.items && choicesOf(schema.items, root);
  if (choices && choices.length <= 12) return severalField(about, choices);
  if (depth >= MAX_DEPTH) return jsonField(about);
  const fixed = schema.prefixItems ?? [];
  let rows = [];
  let isTouched = false;
  const list = h("div", { class: "items" });
  const renumber = () => rows.forEach((row, index) => row.element.setAttribute("data-index", String(index + 1)));
  const addRow = (value) => {
    const index = rows.length;
    const isFixed = index < fixed.length;
    const field = fieldFor(isFixed ? fixed[index] : (schema.items ?? {}), `${name} ${index + 1}`, true, root, depth + 1);
    const row = { field };
    row.element = h("div", { class: "item" }, field.element, isFixed ? null : removeButton(() => {
      rows = rows.filter((one) => one !== row);
      row.element.remove();
      renumber();
      add.focus();
    }));
    field.write(value);
    rows.push(row);
    list.append(row.element);
    renumber();
    return row;
  };
  const add = h("button", { type: "button", class: "small", click: () => {
    isTouched = true;
    addRow().element.querySelector("input, textarea, select")?.focus();
  } }, `Add to ${name}`);
  const canGrow = schema.items !== false && !(fixed.length && schema.items === undefined);
  const { element, showOwn } = framed(about, "list", list, canGrow ? add : null);
  fixed.forEach(() => addRow());
  const read = (path, mistakes) => {
    const values = rows.map((row, index) => row.field.read([...path, index], mistakes));
    if (fixed.length && values.every((value) => value === undefined)) return required ? [] : undefined;
    const given = values.map((value) => value ?? null);
    return given.length || required || isTouched ? given : undefined;
  };
  const write = (value) => {
    rows = [];
    list.replaceChildren();
    isTouched = Array.isArray(value);
    const values = Array.isArray(value) ? value : [];
    for (let index = 0; index < Math.max(values.length, fixed.length); index++) addRow(values[index]);
  };
  const show = (mistakes) => {
    showOwn(own(mistakes));
    rows.forEach((row, index) => row.field.show(below(mistakes, index)));
  };
  return { element, read, write, show };
}

// Unions -------------------------------------------------------------------------------------------

function unionField(about, variants, union) {
  const { name, required, root, depth } = about;
  const tag = discriminatorOf(union, variants, root);
  const place = h("div", {});
  let chosen = null;
  const select = h("select", { "aria-label": `Kind of ${name}`, change: () => choose(select.value) },
    h("option", { value: "" }, required ? "choose the kind…" : "not set"),
    variants.map((variant, index) => h("option", { value: String(index) }, titleOf(variant, tag, root))));
  const choose = (index) => {
    select.value = index;
    chosen = index === "" ? null : fieldOfVariant(variants[Number(index)], tag, about, root, depth);
    fill(place, chosen?.elements ?? chosen?.element ?? []);
  };
  const { element, showOwn } = framed({ ...about, schema: union ?? {} }, "one of several", select, place);
  const write = (value) => {
    if (value === undefined || value === null) return choose("");
    const index = variants.findIndex((variant) => (tag ? tagOf(variant, tag, root) === value[tag] : !check(variant, value, root).length));
    choose(String(Math.max(index, 0)));
    chosen.write(value);
  };
  const show = (mistakes) => {
    const isInside = chosen !== null;
    showOwn(isInside && chosen.elements ? own(mistakes) : isInside ? [] : mistakes);
    chosen?.show(mistakes);
  };
  return { element, read: (path, mistakes) => chosen?.read(path, mistakes), write, show };
}

function fieldOfVariant(variant, tag, about, root, depth) {
  if (!tag) return fieldFor(variant, about.name, true, root, depth + 1);
  const inner = fieldsOf(variant, root, depth, tag);
  const value = tagOf(variant, tag, root);
  return { ...inner, read: (path, mistakes) => ({ [tag]: value, ...inner.read(path, mistakes) }) };
}
