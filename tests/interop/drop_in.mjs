// The official TypeScript client against the server of test_drop_in.py; prints what it got as one line of JSON.
// Arguments: the client's directory, the revisions, separated by commas, and a URL, or a command and its arguments.

import { pathToFileURL } from "node:url";

const [folder, revisions, ...target] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(`${folder}/dist/index.mjs`));
const { StdioClientTransport } = await import(pathToFileURL(`${folder}/dist/stdio.mjs`));
const [command, ...args] = target;

const use = async (revision) => {
  const modern = revision === "2026-07-28";
  const heard = [];
  const client = new Client(
    { name: "interop", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      ...(modern ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] }),
    },
  );
  client.setNotificationHandler("notifications/message", ({ params }) => heard.push(params.data));
  client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: { shelf: params.message } }));
  await client.connect(
    command.startsWith("http")
      ? new StreamableHTTPClientTransport(new URL(command))
      : new StdioClientTransport({ command, args, env: process.env }),
  );
  const _meta = modern ? { "io.modelcontextprotocol/logLevel": "debug" } : undefined;
  const call = async (name, given = {}, options = {}) => {
    const result = await client.callTool({ name, arguments: given, _meta }, options);
    return [result.content.map((block) => block.text), result.structuredContent ?? null];
  };
  const got = {
    revision: client.getNegotiatedProtocolVersion(),
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    find: await call("find", { title: "Plain" }, { onprogress: ({ progress, total }) => heard.push([progress, total]) }),
    blocks: await call("blocks"),
    fail: await call("fail"),
    book: (await client.readResource({ uri: "book://Plain" })).contents.map((one) => one.text),
    review: (await client.getPrompt({ name: "review", arguments: { title: "Plain" } })).messages.map((one) => one.content.text),
  };
  if (revision >= "2025-06-18") got.ask = await call("ask");
  await client.close();
  return { ...got, heard };
};

const all = [];
for (const revision of revisions.split(",")) all.push(await use(revision));
console.log(JSON.stringify(all));
