// An MCP client of this page's own origin, on any revision: requests, notifications, questions and cancellation.

import { readEvents } from "./events.js";
import { headersFor } from "./headers.js";

const META = "io.modelcontextprotocol/";
const INFO = { name: "plainmcp page", version: "1" };
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const METHOD_NOT_FOUND = -32601;
const MAX_ROUNDS = 20;

/** The server answered with an error: of JSON-RPC, or of HTTP with `status`. */
export class ServerError extends Error {
  constructor(message, { code = null, status = null, data = undefined, raw = "" } = {}) {
    super(message);
    Object.assign(this, { code, status, data, raw });
  }
}

/** A client on one revision: `{ name, handshake }`. `token` returns the bearer token, or an empty text. */
export class Client {
  constructor(endpoint, revision, token) {
    Object.assign(this, { endpoint, revision, token, session: null, instructions: "", info: null });
    this.lastId = 0;
  }

  /** Say hello: the handshake, or server/discover; sets `info`, `instructions` and `capabilities`. */
  async connect() {
    if (this.revision.handshake) {
      const params = { protocolVersion: this.revision.name, capabilities: CAPABILITIES, clientInfo: INFO };
      const { result } = await this.request("initialize", params);
      Object.assign(this, { info: result.serverInfo, instructions: result.instructions, capabilities: result.capabilities });
      await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
      if (result.capabilities?.logging) await this.request("logging/setLevel", { level: "debug" });
    } else {
      const { result } = await this.request("server/discover");
      const info = result._meta?.[`${META}serverInfo`];
      Object.assign(this, { info, instructions: result.instructions, capabilities: result.capabilities });
    }
  }

  /** End the session, if there is one. */
  async close() {
    if (!this.session) return;
    const headers = this.headers();
    this.session = null;
    await fetch(this.endpoint, { method: "DELETE", headers, keepalive: true }).catch(() => {});
  }

  /** All pages of a list; empty if the server offers nothing of the kind. */
  async list(method, key) {
    const items = [];
    const params = {};
    try {
      do {
        const { result } = await this.request(method, params);
        items.push(...result[key]);
        params.cursor = result.nextCursor;
      } while (params.cursor);
    } catch (error) {
      if (error.code !== METHOD_NOT_FOUND) throw error;
    }
    return items;
  }

  /**
   * Send a request, and answer the questions that come before its result.
   *
   * `on.notification` gets each notification, `on.question` each question, of which it returns the answer. Returns
   * the result, the exact text of the response, and the parameters with which it was reached. Raises ServerError.
   */
  async request(method, params = {}, { on = {}, signal, schema } = {}) {
    let sent = { ...params };
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { message, raw } = await this.exchange(method, sent, on, signal, schema);
      if (message.error) throw new ServerError(message.error.message, { ...message.error, raw });
      const { result } = message;
      if (result.resultType !== "input_required") return { result, raw, params: sent };
      const inputResponses = {};
      for (const [key, question] of Object.entries(result.inputRequests ?? {})) {
        inputResponses[key] = await on.question(question);
      }
      sent = { ...params, inputResponses, requestState: result.requestState };
    }
    throw new ServerError(`it still asks after ${MAX_ROUNDS} rounds`);
  }

  async exchange(method, params, on, signal, schema) {
    const id = ++this.lastId;
    const message = { jsonrpc: "2.0", id, method, params: this.withMeta(params, id, on) };
    const cancel = () => {
      if (this.revision.handshake) {
        this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }).catch(() => {});
      }
    };
    signal?.addEventListener("abort", cancel);
    try {
      const response = await this.send(message, { signal, schema });
      if (method === "initialize") this.session = response.headers.get("mcp-session-id");
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
      if (!isStream) return await readWhole(response);
      for await (const raw of readEvents(response.body)) {
        const received = JSON.parse(raw);
        if (received.id === id && !received.method) return { message: received, raw };
        this.receive(received, on);
      }
      throw new ServerError("the stream ended before the response");
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Handle a message that is not the response: a notification, or a question of a handshake revision. */
  async receive(message, on) {
    if (message.id === undefined) return on.notification?.(message.method, message.params ?? {});
    let answer;
    try {
      if (message.method === "ping") answer = { result: {} };
      else if (!on.question) answer = { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
      else answer = { result: await on.question(message) };
    } catch (error) {
      answer = { error: { code: -1, message: String(error.message ?? error) } };
    }
    await this.post({ jsonrpc: "2.0", id: message.id, ...answer }).catch(() => {});
  }

  /** Send a message that has no response. */
  async post(message) {
    await this.send(message, {});
  }

  async send(message, { signal, schema }) {
    let response;
    try {
      const body = JSON.stringify(message);
      response = await fetch(this.endpoint, { method: "POST", headers: this.headers(message, schema), body, signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerError("the server does not answer: is it still running?");
    }
    if (response.status === 401 || response.status === 403) {
      const raw = await response.text();
      const hint = response.status === 401 ? "this server needs a token: enter one above" : "the token lacks a permission";
      throw new ServerError(`${hint} (HTTP ${response.status})`, { status: response.status, raw });
    }
    return response;
  }

  /** The headers of a message; those of a revision without a handshake repeat parts of it. */
  headers(message, schema) {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    if (this.token()) headers.Authorization = `Bearer ${this.token()}`;
    if (this.session) headers["Mcp-Session-Id"] = this.session;
    if (message?.method !== "initialize") headers["MCP-Protocol-Version"] = this.revision.name;
    if (!this.revision.handshake && message) Object.assign(headers, headersFor(message, schema));
    return headers;
  }

  withMeta(params, id, on) {
    const meta = on.notification ? { progressToken: id } : {};
    if (!this.revision.handshake) {
      meta[`${META}protocolVersion`] = this.revision.name;
      meta[`${META}clientInfo`] = INFO;
      meta[`${META}clientCapabilities`] = CAPABILITIES;
      if (on.notification) meta[`${META}logLevel`] = "debug";
    }
    return Object.keys(meta).length ? { ...params, _meta: { ...meta, ...params._meta } } : params;
  }
}

async function readWhole(response) {
  const raw = await response.text();
  try {
    return { message: JSON.parse(raw), raw };
  } catch {
    throw new ServerError(`HTTP ${response.status}: ${raw.slice(0, 300)}`, { status: response.status, raw });
  }
}
