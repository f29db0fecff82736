// The page: connects to the server, shows what it offers, and opens the feature that the URL names.

import { Client } from "./client.js";
import { byId, fill, h } from "./dom.js";
import { Feature, renderFailure } from "./feature.js";
import { renderMarkdown } from "./markdown.js";
import { costOf, fetchOffer, KINDS, showOffer } from "./offer.js";
import { readPlace, toFragment } from "./place.js";
import { showNumber } from "./sizes.js";
import { watch } from "./watch.js";

const facts = JSON.parse(document.body.dataset.facts);
const url = new URL(facts.endpoint, location.origin).href;
const token = () => byId("token").value.trim();
const say = (text) => fill(byId("status"), text);

const page = { facts, token, say, client: null, onRead: (uri) => (location.hash = placeOf(uri)) };
let offer = null;
let opened = null;
let stopWatching = () => {};

/** The place of a resource: listed, or what it is by its URI alone. */
const placeOf = (uri) => toFragment("resources", uri);

async function connect() {
  const chosen = facts.revisions.find((revision) => revision.name === byId("revision").value);
  await page.client?.close();
  page.client = new Client(url, chosen, token);
  say("Connecting…");
  document.body.setAttribute("aria-busy", "true");
  try {
    await page.client.connect();
    offer = await fetchOffer(page.client);
    const all = Object.values(offer).flat();
    say(`${all.length} definitions, ~${showNumber(all.reduce((sum, one) => sum + costOf(one), 0))} tokens (approximate)`);
    showList();
    open();
    watchAgain();
  } catch (error) {
    offer = null;
    fill(byId("offer"));
    opened?.stop();
    opened = null;
    fill(byId("main"), renderFailure(error));
    say("Not connected");
    if (error.status === 401) byId("token").focus();
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

/** Keep the offer up to date, while somebody looks: a browser has few connections to one server for all its tabs. */
function watchAgain() {
  stopWatching();
  if (document.visibilityState === "visible" && offer) stopWatching = watch(url, facts.revisions.at(-1), token, update);
}

/** Show what the server offers now; a form that is open keeps its values. */
async function update() {
  const now = await fetchOffer(page.client).catch(() => null);
  if (!now || JSON.stringify(now) === JSON.stringify(offer)) return;
  offer = now;
  showList();
  const place = readPlace();
  const feature = place && featureAt(place);
  if (opened && !opened.running && feature && JSON.stringify(feature) !== JSON.stringify(opened.feature)) {
    const { value } = opened.form.read();
    opened = null;
    open();
    opened.write(value);
  }
  say("The server offers something else now");
}

function showList() {
  if (!offer) return;
  const count = showOffer(byId("offer"), offer, byId("search").value, readPlace());
  fill(byId("found"), byId("search").value ? `${count} found` : "");
}

function featureAt({ kind, name }) {
  const feature = offer[kind].find((one) => one[KINDS[kind].key] === name);
  return feature ?? (kind === "resources" ? { uri: name, name } : null); // a resource may be readable without being listed
}

/** Show the feature that the URL names; one that is open stays, with its result. */
function open() {
  if (!offer) return;
  const place = readPlace();
  showList();
  const feature = place && featureAt(place);
  if (!feature) return welcome(place);
  if (opened?.client !== page.client || opened.kind !== place.kind || opened.name !== place.name) {
    opened?.stop();
    opened = new Feature(page, place.kind, feature);
    opened.client = page.client;
    fill(byId("main"), opened.element);
    say("");
    opened.heading.focus({ preventScroll: true });
    byId("offer").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    scrollTo(0, 0);
  }
  opened.write(place.values);
  document.title = `${opened.name} · ${facts.name}`;
}

function welcome(place) {
  opened?.stop();
  opened = null;
  document.title = facts.name;
  fill(byId("main"),
    place ? h("p", { class: "warning note" }, `There is no ${place.name} here.`) : null,
    page.client.instructions ? renderMarkdown(page.client.instructions) : null,
    h("p", {}, "Choose a tool, a resource or a prompt. Every number of tokens is characters / 4, which is approximate."),
    h("p", { class: "hint" }, h("kbd", {}, "/"), " searches, ", h("kbd", {}, "Ctrl"), "+", h("kbd", {}, "Enter"), " runs, ", h("kbd", {}, "Esc"), " cancels."));
}

byId("revision").append(...facts.revisions.map((revision) => h("option", { value: revision.name }, revision.name)).reverse());
byId("revision").addEventListener("change", connect);
byId("reload").addEventListener("click", connect);
byId("access").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", token());
  connect();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
byId("search").addEventListener("input", showList);
addEventListener("popstate", open);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && offer) update();
  watchAgain();
});
addEventListener("pagehide", () => page.client?.close());
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    byId("search").focus();
  }
});
byId("token").value = sessionStorage.getItem("token") ?? "";
connect();
