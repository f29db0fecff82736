// URI templates: their variables as a schema for a form, and the URI for the values of these.

/** The schema of a text of one line. */
export const LINE = { type: "string", format: "text" };

const PART = /\{([+#./;?&]?)([^{}]+)\}/g;
const FORMS = {
  "": ["", ",", false], "+": ["", ",", false], "#": ["#", ",", false], ".": [".", ".", false],
  "/": ["/", "/", false], ";": [";", ";", true], "?": ["?", "&", true], "&": ["&", "&", true],
};

const namesOf = (list) => list.split(",").map((name) => name.replace(/(\*|:\d+)$/, ""));

/** The schema of the variables; those of a query may be left out. */
export function schemaOf(template) {
  const properties = {};
  const required = [];
  for (const [, operator, list] of template.matchAll(PART)) {
    for (const name of namesOf(list)) {
      properties[name] = { ...LINE };
      if (!"?&;".includes(operator) || operator === "") required.push(name);
    }
  }
  return { type: "object", properties, required };
}

/** The URI. */
export function expand(template, values) {
  return template.replaceAll(PART, (_, operator, list) => {
    const [first, separator, isNamed] = FORMS[operator];
    const isOpen = operator === "+" || operator === "#";
    const encode = (text) => (isOpen ? encodeURI(text) : encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`));
    const parts = namesOf(list).filter((name) => values[name] !== undefined).map((name) => (isNamed ? `${name}=${encode(values[name])}` : encode(values[name])));
    return parts.length ? first + parts.join(separator) : "";
  });
}
