// One call with every policy on every revision: a table with bytes and tokens, and the difference between two rows.

import { diffLines } from "./diff.js";
import { fill, h, newId } from "./dom.js";
import { prettify } from "./pretty.js";
import { showNumber } from "./sizes.js";

const CONTEXT = 3; // lines around a difference

/** Ask for the previews of a call; returns the rows. Raises Error. */
export async function fetchPreviews(path, params, token, signal) {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const body = JSON.stringify({ name: params.name, arguments: params.arguments, inputResponses: params.inputResponses, requestState: params.requestState });
  const response = await fetch(path, { method: "POST", headers, body, signal });
  const answer = await response.json();
  if (answer.error) throw new Error(answer.error.message);
  return answer.results;
}

/** The table of the previews, newest revision first, and below it the difference between the two rows that are chosen. */
export function renderComparison(previews) {
  const rows = previews.toSorted((one, other) => other.revision.localeCompare(one.revision));
  const least = Math.min(...rows.filter((row) => !row.result.isError).map((row) => row.approximateTokens));
  const newest = rows.filter((row) => row.revision === rows[0].revision);
  const chosen = { first: newest[0], second: newest.find((row) => row.policy === "lean") ?? newest.at(-1) };
  const place = h("div", { class: "difference", "aria-live": "polite" });
  const group = newId("compare");

  const radio = (side, row) => h("input", {
    type: "radio",
    name: `${group}-${side}`,
    checked: chosen[side] === row,
    "aria-label": `${side === "first" ? "Compare" : "with"} ${row.policy} on ${row.revision}`,
    change: () => {
      chosen[side] = row;
      showDifference(place, chosen.first, chosen.second);
    },
  });
  const body = rows.map((row) => h("tr", { class: row.result.isError ? "failed" : row.approximateTokens === least ? "least" : null },
    h("td", {}, radio("first", row)),
    h("td", {}, radio("second", row)),
    h("th", { scope: "row" }, row.policy, row.approximateTokens === least && !row.result.isError ? h("span", { class: "badge" }, "least") : null),
    h("td", {}, row.revision),
    h("td", {}, kindsOf(row.blocks), row.result.isError ? " (error)" : ""),
    h("td", {}, row.shape ?? "–"),
    h("td", { class: "number" }, showNumber(row.bytes)),
    h("td", { class: "number" }, showNumber(row.approximateTokens)),
  ));
  const heads = ["Compare", "with", "Policy", "Revision", "Content", "Structured", "Bytes", "Tokens (approx.)"];
  const table = h("table", { class: "compare" },
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: /Bytes|Tokens/.test(head) ? "number" : null }, head)))),
    h("tbody", {}, body));
  showDifference(place, chosen.first, chosen.second);
  return h("div", {},
    h("p", { class: "hint" }, "The tool ran once. Bytes are those of the whole message; tokens are characters of text and data / 4, which is approximate."),
    h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Revisions and policies" }, table),
    place);
}

function kindsOf(blocks) {
  const counts = new Map();
  for (const kind of blocks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}

const nameOf = (row) => `${row.policy} on ${row.revision}`;

function showDifference(place, first, second) {
  const lines = diffLines(prettify(first.json), prettify(second.json));
  const tokens = second.approximateTokens - first.approximateTokens;
  const sum = `${tokens > 0 ? "+" : ""}${showNumber(tokens)} tokens, ${second.bytes - first.bytes > 0 ? "+" : ""}${showNumber(second.bytes - first.bytes)} bytes`;
  const isSame = lines.every((line) => line.kind === "same");
  fill(place,
    h("h4", {}, `From ${nameOf(first)} to ${nameOf(second)}`),
    h("p", {}, isSame ? "Both results are the same." : sum),
    isSame ? null : h("div", { class: "diff code", tabindex: "0", role: "region", "aria-label": "Difference" }, shorten(lines).map(renderLine)));
}

/** Leave out equal lines that are far from a difference. */
function shorten(lines) {
  const isNear = (index) => lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== "same");
  const shown = [];
  lines.forEach((line, index) => {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1)?.kind !== "gap") shown.push({ kind: "gap", text: "…" });
  });
  return shown;
}

const MARKS = { same: " ", out: "−", in: "+", gap: " " };
const WORDS = { out: "only in the first: ", in: "only in the second: " };

function renderLine(line) {
  return h("div", { class: line.kind }, h("span", { "aria-hidden": "true" }, `${MARKS[line.kind]} `), WORDS[line.kind] ? h("span", { class: "unseen" }, WORDS[line.kind]) : null, line.text);
}
