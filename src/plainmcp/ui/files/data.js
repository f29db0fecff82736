// Data for people: rows as a table, anything else as a tree that opens and closes.

import { h } from "./dom.js";
import { isNumber } from "./pretty.js";

const MAX_ROWS = 500;
const MAX_ENTRIES = 200;

const isLeaf = (value) => value === null || typeof value !== "object" || isNumber(value);
const isObject = (value) => !isLeaf(value) && !Array.isArray(value);

/** The rows in a value that is best shown as a table: a list of objects, also as the only field of an object. */
export function rowsOf(value) {
  if (isObject(value)) {
    const entries = Object.values(value);
    return entries.length === 1 && Array.isArray(entries[0]) ? rowsOf(entries[0]) : null;
  }
  const isTable = Array.isArray(value) && value.length > 0 && value.every((row) => isObject(row) && Object.keys(row).length > 0);
  return isTable ? value : null;
}

/** A value as a table or a tree. */
export function renderData(value) {
  const rows = rowsOf(value);
  return rows ? renderTable(rows) : renderTree(value);
}

function renderTable(rows) {
  const names = [...new Set(rows.slice(0, MAX_ROWS).flatMap((row) => Object.keys(row)))];
  const kinds = names.map((name) => (rows.every((row) => isNumber(row[name] ?? 0)) ? "number" : null));
  const head = h("tr", {}, names.map((name, index) => h("th", { scope: "col", class: kinds[index] }, name)));
  const body = rows.slice(0, MAX_ROWS).map((row) => h("tr", {}, names.map((name, index) => h("td", { class: kinds[index] }, showCell(row[name])))));
  const more = rows.length > MAX_ROWS ? h("p", { class: "hint" }, `${rows.length - MAX_ROWS} more rows`) : null;
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table, ${rows.length} ${rows.length === 1 ? "row" : "rows"}` }, h("table", { class: "data" }, h("thead", {}, head), h("tbody", {}, body)), more);
}

const showCell = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** A value as a tree. */
export function renderTree(value) {
  return h("div", { class: "tree" }, node(null, value, 0));
}

function node(name, value, depth) {
  const label = name === null ? [] : [h("span", { class: "name" }, String(name)), ": "];
  if (isLeaf(value)) return h("div", { class: "leaf" }, label, h("span", { class: `value ${value === null ? "null" : isNumber(value) ? "number" : typeof value}` }, JSON.stringify(value)));
  const entries = Array.isArray(value) ? value.map((one, index) => [index, one]) : Object.entries(value);
  const count = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (!entries.length) return h("div", { class: "leaf" }, label, Array.isArray(value) ? "[]" : "{}");
  const details = h("details", { open: depth < 3 && entries.length <= 50 }, h("summary", {}, label, h("span", { class: "count" }, count)));
  const open = () => {
    if (!details.open || details.childElementCount > 1) return;
    details.append(...entries.slice(0, MAX_ENTRIES).map(([key, one]) => node(key, one, depth + 1)));
    if (entries.length > MAX_ENTRIES) details.append(h("p", { class: "hint" }, `${entries.length - MAX_ENTRIES} more`));
  };
  details.addEventListener("toggle", open);
  open();
  return details;
}
