// The leanest server of the TypeScript SDK over HTTP, on the low-level Server and on node:http. It sends what the servers
// in Python send: the text, and the same as data.
// Arguments: the folder of the npm packages, a port of loopback, and which tools: "echo" or "public".
//
// 2025-11-25 has a session for each client, with JSON instead of events; 2026-07-28 has the SDK's own handler, which
// makes a server for each request.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [folder, port, kind] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/@modelcontextprotocol/${name}/dist/index.mjs`));
const { Server, createMcpHandler } = await load("server");
const { NodeStreamableHTTPServerTransport, toNodeHandler } = await load("node");

const { tools } = await import(`./typescript_${kind}.mjs`);
const outputSchema = { type: "object", properties: { result: { type: "string" } }, required: ["result"] };
const listed = { tools: Object.entries(tools).map(([name, { inputSchema }]) => ({ name, inputSchema, outputSchema })) };

function makeServer() {
  const server = new Server({ name: "bench", version: "1.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => listed);
  server.setRequestHandler("tools/call", async ({ params }) => {
    const text = await tools[params.name].call(params.arguments);
    return { content: [{ type: "text", text }], structuredContent: { result: text } };
  });
  return server;
}

const answerLatest = toNodeHandler(createMcpHandler(makeServer, { legacy: "reject" }));
const sessions = new Map();

async function answerInSession(request, response) {
  const transport = sessions.get(request.headers["mcp-session-id"]) ?? (await openSession());
  await transport.handleRequest(request, response);
}

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await makeServer().connect(transport);
  return transport;
}

createServer((request, response) => {
  const latest = request.headers["mcp-protocol-version"] === "2026-07-28";
  return latest ? answerLatest(request, response) : answerInSession(request, response);
}).listen(Number(port), "127.0.0.1");
