// JSON Schema as forms need it: references, variants, words for limits, and the check of a value. Knows no DOM.

/** A schema without $ref and allOf at its top; `root` has the definitions. */
export function resolve(schema, root) {
  let part = schema === true || schema === undefined ? {} : schema;
  for (let depth = 0; part.$ref && depth < 20; depth++) {
    const { $ref, ...others } = part;
    part = { ...lookUp($ref, root), ...others };
  }
  if (part.allOf) {
    const { allOf, ...others } = part;
    part = allOf.map((one) => resolve(one, root)).reduce(merge, others);
  }
  return part;
}

function lookUp(reference, root) {
  if (!reference.startsWith("#")) return {};
  let part = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    part = part?.[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return part ?? {};
}

function merge(one, other) {
  const properties = { ...one.properties, ...other.properties };
  const required = [...(one.required ?? []), ...(other.required ?? [])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length ? { properties } : {}),
    ...(required.length ? { required } : {}),
  };
}

const isNull = (schema) => schema.type === "null" || schema.const === null;

/** The kinds of value that a schema allows, without null: several for a union; `nullable` says that null is one. */
export function variantsOf(schema, root) {
  const part = resolve(schema, root);
  const { anyOf, oneOf, ...others } = part;
  const choices = (oneOf ?? anyOf)?.map((one) => resolve(one, root));
  if (Array.isArray(part.type) && !part.enum) {
    const kinds = part.type.filter((kind) => kind !== "null");
    return { variants: kinds.map((type) => ({ ...part, type })), nullable: kinds.length < part.type.length };
  }
  if (!choices) return { variants: [part], nullable: false };
  const real = choices.filter((choice) => !isNull(choice));
  const { discriminator, ...shared } = others;
  const variants = real.length === 1 ? [{ ...real[0], ...shared }] : real;
  return { variants, nullable: real.length < choices.length, about: others };
}

/** The choices of a schema that lists its values: `[{ value, title }]`; null for any other. */
export function choicesOf(schema, root) {
  const part = resolve(schema, root);
  if (part.enum) return part.enum.map((value, index) => ({ value, title: part.enumNames?.[index] ?? show(value) }));
  if (part.const !== undefined) return [{ value: part.const, title: part.title ?? show(part.const) }];
  const several = (part.oneOf ?? part.anyOf)?.map((one) => resolve(one, root));
  if (!several?.length || !several.every((one) => one.const !== undefined)) return null;
  return several.map((one) => ({ value: one.const, title: one.title ?? show(one.const) }));
}

const show = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** The property that tells the variants of a union apart: named by the schema, or constant in each of them. */
export function discriminatorOf(union, variants, root) {
  const named = union?.discriminator?.propertyName;
  if (named) return named;
  const [first, ...rest] = variants.map((variant) => Object.keys(variant.properties ?? {}));
  const isConstant = (name) => variants.every((one) => tagOf(one, name, root) !== undefined);
  return first?.find((name) => rest.every((names) => names.includes(name)) && isConstant(name));
}

/** The value of the discriminator in a variant. */
export function tagOf(variant, name, root) {
  const property = resolve(variant.properties?.[name] ?? {}, root);
  return property.const ?? (property.enum?.length === 1 ? property.enum[0] : undefined);
}

/** A short name for a variant. */
export function titleOf(variant, name, root) {
  const tag = name && tagOf(variant, name, root);
  return String(tag ?? variant.title ?? (variant.format ? `${variant.type} (${variant.format})` : (variant.type ?? "any JSON")));
}

/** The limits of a value, in words. */
export function limitsOf(part) {
  const limits = [];
  const range = (least, most, unit) => {
    if (least !== undefined && most !== undefined) limits.push(least === most ? `${least}${unit}` : `${least} to ${most}${unit}`);
    else if (least !== undefined) limits.push(`at least ${least}${unit}`);
    else if (most !== undefined) limits.push(`at most ${most}${unit}`);
  };
  range(part.minimum, part.maximum, "");
  if (part.exclusiveMinimum !== undefined) limits.push(`more than ${part.exclusiveMinimum}`);
  if (part.exclusiveMaximum !== undefined) limits.push(`less than ${part.exclusiveMaximum}`);
  if (part.multipleOf !== undefined) limits.push(`a multiple of ${part.multipleOf}`);
  range(part.minLength, part.maxLength, " characters");
  range(part.minItems, part.maxItems, " items");
  if (part.uniqueItems) limits.push("no item twice");
  if (part.pattern) limits.push(`matches ${part.pattern}`);
  return limits;
}
