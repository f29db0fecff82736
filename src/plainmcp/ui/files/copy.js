// The same request in other places: curl, the command line, a test, and the configuration of clients.
//
// A token is never part of a text: it is read from the variable TOKEN.

import { headersFor } from "./headers.js";

const META = "io.modelcontextprotocol/";
const NEWEST = "2026-07-28";

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The request of curl. It speaks the newest revision, which needs one request only. */
export function toCurl({ url, method, params, schema, hasToken }) {
  const meta = { [`${META}protocolVersion`]: NEWEST, [`${META}clientCapabilities`]: {} };
  const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } };
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": NEWEST, ...headersFor(message, schema) };
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  if (hasToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  return [`curl -s ${url}`, ...lines, `-d ${quote(JSON.stringify(message))}`].join(" \\\n  ");
}

const COMMANDS = { "tools/call": "call", "resources/read": "read", "prompts/get": "prompt" };

/** The command of plainmcp. */
export function toCommand({ url, method, params, hasToken }) {
  const name = params.name ?? params.uri;
  const given = params.arguments && Object.keys(params.arguments).length ? ` ${quote(JSON.stringify(params.arguments))}` : "";
  return `plainmcp ${COMMANDS[method]} ${url} ${/^[\w.:/-]+$/.test(name) ? name : quote(name)}${given}${hasToken ? ' --key "$TOKEN"' : ""}`;
}

/** A test. */
export function toTest({ method, params }) {
  const name = (params.name ?? params.uri).replace(/\W+/g, "_").replace(/^_+|_+$/g, "").toLowerCase();
  const given = params.arguments && Object.keys(params.arguments).length ? `, ${toPython(params.arguments)}` : "";
  const calls = {
    "tools/call": [`call(${toPython(params.name)}${given})`, 'assert not result.get("isError")'],
    "resources/read": [`read(${toPython(params.uri)})`, 'assert result["contents"]'],
    "prompts/get": [`get_prompt(${toPython(params.name)}${given})`, 'assert result["messages"]'],
  };
  const [call, check] = calls[method];
  return [
    "from plainmcp.testing import Client",
    "",
    "from my_server import server  # the module of your server",
    "",
    "",
    `def test_${name}() -> None:`,
    `    result = Client(server).${call}`,
    `    ${check}`,
    "",
  ].join("\n");
}

/** JSON as Python writes it. */
export function toPython(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${toPython(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}

/** The configuration of a client, as `plainmcp config` prints it; the server sends it with a mark for the address. */
export function toConfiguration(client, mark, { url, hasToken }) {
  return client[hasToken ? "protected" : "open"].replaceAll(mark, url);
}
