// The official TypeScript client calls every tool of a server; prints what it got as one line of JSON.
// Arguments: the client's directory, a URL, and the protocol revision to speak.

import { pathToFileURL } from "node:url";

const [directory, url, revision] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(`${directory}/dist/index.mjs`));

const mode = revision < "2026-07-28" ? "legacy" : "auto"; // with the handshake, or without
const options = { supportedProtocolVersions: [revision], versionNegotiation: { mode } };
const client = new Client({ name: "interop", version: "1" }, options);
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

const got = {};
for (const tool of (await client.listTools()).tools) {
  got[tool.name] = await client.callTool({ name: tool.name }).then(
    (result) => (result.isError ? result.content[0].text : (result.structuredContent ?? null)),
    (error) => String(error),
  );
}
console.log(JSON.stringify({ revision: client.getNegotiatedProtocolVersion(), got }));
await client.close();
