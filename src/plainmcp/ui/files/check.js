// Checks a value against a schema, so that people see mistakes before the server does. The server has the last word.

import { resolve } from "./schema.js";

const FORMATS = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i,
  "date-time": /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:/i,
  uuid: /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
};

/** The mistakes in a value: `[{ path, message }]`. */
export function check(schema, value, root = schema, path = []) {
  const part = resolve(schema, root);
  if (part === false) return [{ path, message: "is not allowed" }];
  const found = [];
  const complain = (message) => found.push({ path, message });
  if (part.const !== undefined && !isSame(part.const, value)) found.push({ path, message: `is ${JSON.stringify(part.const)}`, isTag: true });
  if (part.enum && !part.enum.some((one) => isSame(one, value))) complain(`is one of ${part.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  const kinds = part.type === undefined ? [] : [part.type].flat();
  if (kinds.length && !kinds.some((kind) => hasType(value, kind))) {
    return [{ path, message: `is ${kinds.map(describe).join(" or ")}` }];
  }
  for (const union of [part.anyOf, part.oneOf]) {
    if (union) found.push(...checkUnion(union, value, root, path));
  }
  if (typeof value === "number") checkNumber(part, value, complain);
  if (typeof value === "string") checkText(part, value, complain);
  if (Array.isArray(value)) found.push(...checkArray(part, value, root, path, complain));
  else if (value !== null && typeof value === "object") found.push(...checkObject(part, value, root, path));
  return found;
}

function checkUnion(union, value, root, path) {
  const attempts = union.map((one) => check(one, value, root, path));
  if (attempts.some((attempt) => !attempt.length)) return [];
  return attempts.reduce((best, one) => (distanceOf(one) < distanceOf(best) ? one : best));
}

/** How far a value is from a variant: it is meant to be the one whose constants it has, and which fits deepest. */
function distanceOf(mistakes) {
  const depth = Math.min(...mistakes.map((one) => one.path.length));
  return (mistakes.some((one) => one.isTag) ? 1000 : 0) - 10 * depth + Math.min(mistakes.length, 9);
}

function checkNumber(part, value, complain) {
  if (part.minimum !== undefined && value < part.minimum) complain(`is at least ${part.minimum}`);
  if (part.maximum !== undefined && value > part.maximum) complain(`is at most ${part.maximum}`);
  if (part.exclusiveMinimum !== undefined && value <= part.exclusiveMinimum) complain(`is more than ${part.exclusiveMinimum}`);
  if (part.exclusiveMaximum !== undefined && value >= part.exclusiveMaximum) complain(`is less than ${part.exclusiveMaximum}`);
  if (part.multipleOf && Math.abs(value / part.multipleOf - Math.round(value / part.multipleOf)) > 1e-9) complain(`is a multiple of ${part.multipleOf}`);
}

function checkText(part, value, complain) {
  const length = [...value].length;
  if (length < part.minLength) complain(`has at least ${part.minLength} characters`);
  if (length > part.maxLength) complain(`has at most ${part.maxLength} characters`);
  if (part.pattern && !matches(part.pattern, value)) complain(`matches ${part.pattern}`);
  if (FORMATS[part.format] && !FORMATS[part.format].test(value)) complain(`is a ${part.format}`);
}

function matches(pattern, value) {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // a pattern that this browser cannot read is left to the server
  }
}

function checkArray(part, value, root, path, complain) {
  if (value.length < part.minItems) complain(`has at least ${part.minItems} ${part.minItems === 1 ? "item" : "items"}`);
  if (value.length > part.maxItems) complain(`has at most ${part.maxItems} ${part.maxItems === 1 ? "item" : "items"}`);
  if (part.uniqueItems && new Set(value.map((one) => JSON.stringify(one))).size < value.length) complain("has no item twice");
  const fixed = part.prefixItems ?? [];
  return value.flatMap((one, index) => {
    const schema = fixed[index] ?? part.items;
    return schema === undefined ? [] : check(schema, one, root, [...path, index]);
  });
}

function checkObject(part, value, root, path) {
  const found = [];
  for (const name of part.required ?? []) {
    if (value[name] === undefined) found.push({ path: [...path, name], message: "is required" });
  }
  for (const [name, one] of Object.entries(value)) {
    const schema = part.properties?.[name] ?? part.additionalProperties;
    if (schema === false) found.push({ path: [...path, name], message: "is not a known field" });
    else if (schema !== undefined && one !== undefined) found.push(...check(schema, one, root, [...path, name]));
  }
  return found;
}

function hasType(value, kind) {
  switch (kind) {
    case "null": return value === null;
    case "array": return Array.isArray(value);
    case "object": return value !== null && typeof value === "object" && !Array.isArray(value);
    case "integer": return Number.isInteger(value);
    case "number": return typeof value === "number" && Number.isFinite(value);
    default: return typeof value === kind;
  }
}

const WORDS = { integer: "a whole number", number: "a number", string: "a text", boolean: "true or false", object: "an object", array: "a list", null: "null" };
const describe = (kind) => WORDS[kind] ?? kind;
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
