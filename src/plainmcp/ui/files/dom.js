// Builds elements. Text is always text: no module of this page writes HTML.

/** An element with attributes and children; a function is a listener, `true` an attribute without a value. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element with an id. */
export const byId = (id) => document.getElementById(id);

/** Replace all children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

let last = 0;

/** An id that no other element has. */
export const newId = (prefix) => `${prefix}-${++last}`;
