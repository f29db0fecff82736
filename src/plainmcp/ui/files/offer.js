// What the server offers, as a list with a search, and what each definition costs a model to read.

import { fill, h } from "./dom.js";
import { toFragment } from "./place.js";
import { showNumber, tokensOf } from "./sizes.js";

/** The kinds of features: how they are listed, what names one, and how one is used. */
export const KINDS = {
  tools: { title: "Tools", method: "tools/list", field: "tools", key: "name" },
  resources: { title: "Resources", method: "resources/list", field: "resources", key: "uri" },
  templates: { title: "Resource templates", method: "resources/templates/list", field: "resourceTemplates", key: "uriTemplate" },
  prompts: { title: "Prompts", method: "prompts/list", field: "prompts", key: "name" },
};

/** All that a server offers, by kind. */
export async function fetchOffer(client) {
  const offer = {};
  for (const [kind, { method, field }] of Object.entries(KINDS)) offer[kind] = await client.list(method, field);
  return offer;
}

/** About how many tokens a definition takes. */
export const costOf = (feature) => tokensOf(JSON.stringify(feature));

/** Show the features that match a search; returns their number. */
export function showOffer(place, offer, search, current) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (feature) => words.every((word) => JSON.stringify(feature).toLowerCase().includes(word));
  let count = 0;
  const groups = Object.entries(KINDS).map(([kind, { title, key }]) => {
    const features = offer[kind].filter(matches);
    count += features.length;
    if (!features.length) return null;
    const total = features.reduce((sum, feature) => sum + costOf(feature), 0);
    return h("section", {},
      h("h2", {}, title, h("span", { class: "cost", title: "About how many tokens all of these definitions take" }, ` ~${showNumber(total)}`)),
      h("ul", {}, features.map((feature) => renderLink(kind, feature, feature[key], current))));
  });
  fill(place, count ? groups : h("p", { class: "hint" }, words.length ? "Nothing matches." : "This server offers nothing yet."));
  return count;
}

function renderLink(kind, feature, name, current) {
  const isCurrent = current?.kind === kind && current.name === name;
  const cost = costOf(feature);
  return h("li", {},
    h("a", { href: toFragment(kind, name), "aria-current": isCurrent ? "page" : null },
      h("span", { class: "title" }, kind === "tools" || kind === "prompts" ? name : (feature.title ?? feature.name ?? name)),
      h("span", { class: "cost" }, `~${showNumber(cost)}`, h("span", { class: "unseen" }, " tokens"))));
}
