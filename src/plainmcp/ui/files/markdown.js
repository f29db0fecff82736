// Markdown as elements: headings, lists, tables, code, emphasis and links. Never HTML of the text itself.

import { h } from "./dom.js";

/** Whether a text looks like Markdown. */
export function isMarkdown(text) {
  return /^#{1,6} |^\s*[-*] \S|^\d+\. |\*\*\S|^```|^\|? ?:?-{3,}:? ?\||`[^`\n]+`|\[[^\]\n]+\]\(\S+\)/m.test(text);
}

/** The elements of a text in Markdown. */
export function renderMarkdown(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = readBlock(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return h("div", { class: "markdown" }, blocks);
}

const isRow = (line) => line !== undefined && line.includes("|");
const isRule = (line) => line !== undefined && /^\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$/.test(line) && line.includes("-");
const isItem = (line) => /^\s*([-*+]|\d+[.)]) /.test(line ?? "");
const isSpecial = (line) => /^(#{1,6} |```|> )/.test(line ?? "") || isItem(line);

function readBlock(lines, start) {
  const line = lines[start];
  if (!line.trim()) return [null, start + 1];
  if (line.startsWith("```")) return readCode(lines, start);
  const heading = /^(#{1,6}) (.*)$/.exec(line);
  // The page has headings of its own above these.
  if (heading) return [h(`h${Math.min(heading[1].length + 3, 6)}`, {}, inline(heading[2])), start + 1];
  if (isRow(line) && isRule(lines[start + 1])) return readTable(lines, start);
  if (/^\s*(-{3,}|\*{3,})\s*$/.test(line)) return [h("hr"), start + 1];
  const read = isItem(line) ? readList : line.startsWith("> ") ? readQuote : readParagraph;
  return read(lines, start);
}

function readCode(lines, start) {
  let end = start + 1;
  while (end < lines.length && !lines[end].startsWith("```")) end++;
  return [h("pre", { tabindex: "0", role: "region", "aria-label": "Code" }, lines.slice(start + 1, end).join("\n")), end + 1];
}

function readTable(lines, start) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  let end = start + 2;
  while (end < lines.length && isRow(lines[end])) end++;
  const head = h("tr", {}, cells(lines[start]).map((cell) => h("th", { scope: "col" }, inline(cell))));
  const rows = lines.slice(start + 2, end).map((line) => h("tr", {}, cells(line).map((cell) => h("td", {}, inline(cell)))));
  const table = h("table", {}, h("thead", {}, head), h("tbody", {}, rows));
  return [h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table), end];
}

function readList(lines, start) {
  let end = start;
  const items = [];
  while (end < lines.length && isItem(lines[end])) items.push(lines[end++].replace(/^\s*([-*+]|\d+[.)]) /, ""));
  return [h(/^\s*\d/.test(lines[start]) ? "ol" : "ul", {}, items.map((item) => h("li", {}, inline(item)))), end];
}

function readQuote(lines, start) {
  let end = start;
  while (end < lines.length && lines[end].startsWith(">")) end++;
  return [h("blockquote", {}, inline(lines.slice(start, end).map((line) => line.replace(/^> ?/, "")).join("\n"))), end];
}

function readParagraph(lines, start) {
  let end = start + 1;
  while (end < lines.length && lines[end].trim() && !isSpecial(lines[end]) && !(isRow(lines[end]) && isRule(lines[end + 1]))) end++;
  return [h("p", {}, inline(lines.slice(start, end).join("\n"))), end];
}

const SPANS = /(`[^`]+`)|(\*\*[^*]+\*\*)|(\*[^*\s][^*]*\*)|(\[[^\]]+\]\([^)\s]+\))/g;

function inline(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(SPANS)) {
    parts.push(text.slice(at, match.index), span(match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

function span(text) {
  if (text.startsWith("`")) return h("code", {}, text.slice(1, -1));
  if (text.startsWith("**")) return h("strong", {}, text.slice(2, -2));
  if (text.startsWith("*")) return h("em", {}, text.slice(1, -1));
  const [, label, target] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(text);
  if (!/^https?:\/\//i.test(target)) return `${label} (${target})`;
  return h("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, label);
}
