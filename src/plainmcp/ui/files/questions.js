// Questions of the server as forms: for data, for a visit to a page, for the answer of a model, and for folders.

import { fill, h } from "./dom.js";
import { formFor } from "./form.js";
import { renderBlock } from "./result.js";

const ROOTS = {
  type: "object",
  properties: { roots: { type: "array", items: { type: "string", format: "uri" }, description: "Folders that the server may use, such as file:///home/me/project" } },
};
const REPLY = { type: "object", properties: { text: { type: "string", description: "What the model answers" } }, required: ["text"] };

/** Show a question in `place`; resolves with the answer of the person, and rejects when `signal` aborts. */
export function ask(place, { method, params }, signal) {
  const build = BUILDERS[method];
  if (!build) return Promise.reject(new Error(`this page cannot answer ${method}`));
  const { promise, resolve, reject } = Promise.withResolvers();
  const { title, about, schema, accept, answer, refusals } = build(params ?? {});
  const form = formFor(schema);
  const submit = (event) => {
    event.preventDefault();
    const { value, mistakes } = form.read();
    form.show(mistakes);
    if (!mistakes.length) resolve(answer(value));
    else element.querySelector("[aria-invalid=true]")?.focus();
  };
  const element = h("form", { class: "question", submit, "aria-label": title, novalidate: true },
    h("h3", { tabindex: "-1" }, title), about, form.element,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, accept),
      refusals.map(([label, value]) => h("button", { type: "button", click: () => (value instanceof Error ? reject(value) : resolve(value)) }, label))));
  form.write(defaultsOf(schema));
  fill(place, element);
  place.hidden = false;
  (element.querySelector("input, textarea, select") ?? element.querySelector("h3")).focus();
  signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
  return promise.finally(() => {
    fill(place);
    place.hidden = true;
  });
}

function defaultsOf(schema) {
  const named = Object.entries(schema.properties ?? {}).filter(([, part]) => part.default !== undefined);
  return Object.fromEntries(named.map(([name, part]) => [name, part.default]));
}

const BUILDERS = {
  "elicitation/create": (params) => (params.mode === "url" ? visit(params) : data(params)),
  "sampling/createMessage": sample,
  "roots/list": () => ({
    title: "The server asks for folders",
    schema: ROOTS,
    accept: "Send",
    answer: ({ roots = [] }) => ({ roots: roots.map((uri) => ({ uri })) }),
    refusals: [["Send none", { roots: [] }]],
  }),
};

const REFUSALS = [["Decline", { action: "decline" }], ["Dismiss", { action: "cancel" }]];

function data(params) {
  return {
    title: "The server asks",
    about: h("p", { class: "message" }, params.message),
    schema: params.requestedSchema ?? { type: "object" },
    accept: "Accept",
    answer: (content) => ({ action: "accept", content }),
    refusals: REFUSALS,
  };
}

function visit(params) {
  const isWeb = /^https?:\/\//i.test(params.url);
  return {
    title: "The server asks you to visit a page",
    about: [h("p", { class: "message" }, params.message), h("p", {}, isWeb ? h("a", { href: params.url, target: "_blank", rel: "noopener noreferrer" }, params.url) : h("code", {}, params.url))],
    schema: { type: "object" },
    accept: "Accept",
    answer: () => ({ action: "accept" }),
    refusals: REFUSALS,
  };
}

function sample(params) {
  const messages = (params.messages ?? []).map((message) => h("div", { class: "part" }, h("h4", {}, message.role), [message.content].flat().map((block) => renderBlock(block, () => {}))));
  return {
    title: "The server asks a model; answer in its place",
    about: [params.systemPrompt ? h("p", { class: "hint" }, params.systemPrompt) : null, messages],
    schema: REPLY,
    accept: "Answer",
    answer: ({ text }) => ({ role: "assistant", model: "a person", stopReason: "endTurn", content: { type: "text", text } }),
    refusals: [["Refuse", new Error("the person refused")]],
  };
}
