// One feature: its description, its form, and what a call of it brings.

import { buildActivity } from "./activity.js";
import { fetchPreviews, renderComparison } from "./compare.js";
import { offerCompletions } from "./complete.js";
import { toCommand, toConfiguration, toCurl, toTest } from "./copy.js";
import { fill, h } from "./dom.js";
import { formFor } from "./form.js";
import { renderMarkdown } from "./markdown.js";
import { costOf, KINDS } from "./offer.js";
import { rememberPlace } from "./place.js";
import { parseExactly } from "./pretty.js";
import { ask } from "./questions.js";
import { renderResult } from "./result.js";
import { bytesOf, showBytes, showNumber, tokensOf } from "./sizes.js";
import { expand, LINE, schemaOf } from "./template.js";
import { confirmRun, warningOf } from "./warning.js";

const MAX_SHOWN = 200_000;

/** How a feature of each kind is used: the verb, the schema of its form, and the request for its values. */
const USES = {
  tools: {
    verb: "Call",
    schema: (feature) => feature.inputSchema,
    request: (feature, values) => ["tools/call", { name: feature.name, arguments: values }],
  },
  resources: { verb: "Read", schema: () => ({ type: "object" }), request: (feature) => ["resources/read", { uri: feature.uri }] },
  templates: {
    verb: "Read",
    schema: (feature) => schemaOf(feature.uriTemplate),
    request: (feature, values) => ["resources/read", { uri: expand(feature.uriTemplate, values) }],
    reference: (feature) => ({ type: "ref/resource", uri: feature.uriTemplate }),
  },
  prompts: {
    verb: "Get",
    schema: (feature) => ({
      type: "object",
      properties: Object.fromEntries((feature.arguments ?? []).map((one) => [one.name, { ...LINE, description: one.description }])),
      required: (feature.arguments ?? []).filter((one) => one.required).map((one) => one.name),
    }),
    request: (feature, values) => ["prompts/get", { name: feature.name, arguments: values }],
    reference: (feature) => ({ type: "ref/prompt", name: feature.name }),
  },
};

/** The panel of a feature. `page` has the client, the facts, the token, and `say` and `onRead`. */
export class Feature {
  constructor(page, kind, feature) {
    Object.assign(this, { page, kind, feature, use: USES[kind], running: null, last: null });
    this.name = feature[KINDS[kind].key];
    this.form = formFor(this.use.schema(feature));
    this.warning = kind === "tools" ? warningOf(feature) : { level: "none", text: "" };
    this.question = h("div", { class: "questions", hidden: true });
    this.output = h("div", { class: "output" });
    this.element = this.build();
    if (this.use.reference && page.client.capabilities?.completions) offerCompletions(this.form.inputs, (name, text) => this.suggest(name, text));
  }

  /** The suggestions of the server for an argument. */
  async suggest(name, value) {
    const { [name]: _, ...others } = this.form.read().value;
    const params = { ref: this.use.reference(this.feature), argument: { name, value }, context: { arguments: others } };
    const { result } = await this.page.client.request("completion/complete", params);
    return result.completion.values;
  }

  build() {
    const { feature, kind, name, warning } = this;
    const canCompare = kind === "tools" && this.page.facts.preview;
    this.run = h("button", { type: "submit", class: "primary" }, this.use.verb);
    this.compare = canCompare ? h("button", { type: "button", click: () => this.compareAll() }, "Compare revisions and policies") : null;
    this.cancel = h("button", { type: "button", hidden: true, click: () => this.stop() }, "Cancel");
    this.anyway = h("button", { type: "button", hidden: true, click: () => this.start({ anyway: true }) }, "Send anyway");
    const title = feature.title ?? feature.name ?? name;
    this.heading = h("h2", { tabindex: "-1" }, title);
    return h("article", { keydown: (event) => this.press(event) },
      this.heading,
      h("p", { class: "about" }, title === name ? null : h("code", {}, name), badge(warning), h("span", { class: "cost" }, `definition: ~${showNumber(costOf(feature))} tokens (approximate)`)),
      feature.description ? renderMarkdown(feature.description) : null,
      h("details", { class: "source" }, h("summary", {}, "Definition"), h("pre", { tabindex: "0", role: "region", "aria-label": "Definition" }, JSON.stringify(feature, null, 2))),
      h("form", { class: "call", novalidate: true, submit: (event) => {
        event.preventDefault();
        this.start();
      } },
        h("div", { class: "formhead" }, h("h3", {}, "Arguments"), this.form.toggle),
        this.form.element,
        warning.text ? h("p", { class: `warning ${warning.level}` }, warning.text) : null,
        h("div", { class: "actions" }, this.run, this.compare, this.anyway, this.cancel, this.buildCopy())),
      this.question,
      this.output);
  }

  buildCopy() {
    const shown = h("pre", { hidden: true, tabindex: "0", role: "region", "aria-label": "Copied text" });
    const { clients, urlMark } = this.page.facts;
    const button = (label, make, where = "") => h("button", { type: "button", class: "small", click: async () => {
      const text = make(this.describe());
      fill(shown, text);
      shown.hidden = false;
      const isCopied = await navigator.clipboard.writeText(text).then(() => true, () => false);
      this.page.say(`${isCopied ? "Copied" : "Select the text to copy it"} as ${label}${where}`);
    } }, label);
    return h("details", { class: "copy" }, h("summary", {}, "Copy as"),
      h("div", { class: "actions" }, button("curl", toCurl), button("plainmcp", toCommand), button("pytest", toTest)),
      h("div", { class: "actions", role: "group", "aria-label": "Configuration of a client" }, h("span", { class: "hint" }, "Configuration of"),
        clients.map((client) => button(client.title, (request) => toConfiguration(client, urlMark, request), `, for ${client.file}`))),
      shown);
  }

  /** The request as copy.js takes it. */
  describe() {
    const [method, params] = this.use.request(this.feature, this.form.read().value);
    const { client, token } = this.page;
    return { url: client.endpoint, method, params, schema: this.feature.inputSchema, hasToken: Boolean(token()) };
  }

  press(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.target.closest("form")?.requestSubmit();
    }
    if (event.key === "Escape" && this.running) this.stop();
  }

  /** Fill the form, as the URL says. */
  write(values) {
    this.form.write(values ?? {});
  }

  stop() {
    this.running?.abort();
  }

  /** The values of the form if the request may be sent, otherwise null. */
  async prepare(anyway) {
    const { value, mistakes } = this.form.read();
    this.form.show(anyway ? [] : mistakes);
    this.anyway.hidden = anyway || !mistakes.length;
    if (mistakes.length && !anyway) {
      this.page.say(`${mistakes.length === 1 ? "One value does" : `${mistakes.length} values do`} not fit the schema`);
      this.element.querySelector("[aria-invalid=true]")?.focus();
      return null;
    }
    if (this.warning.level === "ask" && !(await confirmRun(this.name, this.warning.text))) return null;
    return value;
  }

  /** Send the request, and show what comes. */
  async start({ anyway = false } = {}) {
    const values = this.running ? null : await this.prepare(anyway);
    if (values === null) return;
    rememberPlace(this.kind, this.name, values);
    const activity = buildActivity();
    fill(this.output, activity.element);
    await this.attend("Running…", async (signal) => {
      const [method, params] = this.use.request(this.feature, values);
      const on = { notification: activity.notify, question: (question) => this.answer(question, signal) };
      const began = performance.now();
      const reply = await this.page.client.request(method, params, { on, signal, schema: this.feature.inputSchema });
      const seconds = (performance.now() - began) / 1000;
      this.last = { values: JSON.stringify(values), params: reply.params };
      fill(this.output, activity.element, this.renderReply(reply, seconds));
      return reply.result.isError ? "The tool reports an error" : `Done in ${seconds.toFixed(2)} s`;
    }, activity.element);
  }

  async answer(question, signal) {
    this.page.say("The server asks a question");
    const answer = await ask(this.question, question, signal);
    this.page.say("Running…");
    return answer;
  }

  renderReply({ raw }, seconds) {
    const { result } = parseExactly(raw);
    const shown = raw.length > MAX_SHOWN ? `${raw.slice(0, MAX_SHOWN)}\n… ${raw.length - MAX_SHOWN} more characters` : raw;
    return h("div", { class: "sides" },
      h("section", { class: "side" }, h("h3", {}, "Result"), h("p", { class: "hint" }, `${this.page.client.revision.name}, ${seconds.toFixed(2)} s`), renderResult(result, this.page.onRead)),
      h("section", { class: "side" }, h("h3", {}, "Exact bytes"),
        h("p", { class: "hint" }, `${showBytes(bytesOf(raw))}, ~${showNumber(tokensOf(raw))} tokens (approximate)`),
        h("pre", { class: "bytes", tabindex: "0", role: "region", "aria-label": "Exact bytes of the response" }, shown)));
  }

  /** Run the tool once, and show what its value becomes for each revision and policy. */
  async compareAll() {
    const values = this.running ? null : await this.prepare(false);
    if (values === null) return;
    rememberPlace(this.kind, this.name, values);
    fill(this.output);
    await this.attend("Running once, for every revision and policy…", async (signal) => {
      const [, params] = this.use.request(this.feature, values);
      const answered = this.last?.values === JSON.stringify(values) ? this.last.params : params;
      const rows = await fetchPreviews(this.page.facts.preview, answered, this.page.token(), signal);
      fill(this.output, h("section", {}, h("h3", {}, "Revisions and policies"), renderComparison(rows)));
      return `${rows.length} results of one run`;
    });
  }

  /** Do something that can be cancelled; failures are shown where the result would be. */
  async attend(status, work, ...kept) {
    const { say } = this.page;
    this.running = new AbortController();
    this.setBusy(true);
    say(status);
    try {
      say(await work(this.running.signal));
    } catch (error) {
      const isCancelled = error.name === "AbortError";
      say(isCancelled ? "Cancelled" : "Failed");
      fill(this.output, kept, isCancelled ? h("p", { class: "hint" }, "Cancelled.") : renderFailure(error));
    } finally {
      this.running = null;
      this.setBusy(false);
    }
  }

  setBusy(isBusy) {
    this.element.setAttribute("aria-busy", String(isBusy));
    this.run.disabled = isBusy;
    if (this.compare) this.compare.disabled = isBusy;
    this.cancel.hidden = !isBusy;
  }
}

const badge = ({ level, badge: text }) => (text ? h("span", { class: `badge ${level}` }, text) : null);

/** An error of the server, or of the way to it. */
export function renderFailure(error) {
  const details = [error.code ? `code ${error.code}` : null, error.data === undefined ? null : JSON.stringify(error.data)].filter(Boolean).join(", ");
  return h("section", { class: "failure", role: "alert" },
    h("h3", {}, "Error"),
    h("p", {}, error.message), details ? h("p", { class: "hint" }, details) : null,
    error.raw ? h("pre", { class: "bytes", tabindex: "0", role: "region", "aria-label": "Exact bytes of the response" }, error.raw) : null);
}
