// The official TypeScript client against examples/everything.py; prints what it got as one line of JSON.
// Arguments: the client's directory, "legacy" or "auto", and a URL, or a command and its arguments.

import { pathToFileURL } from "node:url";

const [room, mode, ...target] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(`${room}/dist/index.mjs`));
const { StdioClientTransport } = await import(pathToFileURL(`${room}/dist/stdio.mjs`));

const modern = mode === "auto"; // the newest revision is what it finds then
const got = { logged: [], progress: [], changes: [] };
const client = new Client(
  { name: "interop", version: "1" },
  {
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    versionNegotiation: { mode },
  },
);

const known = { username: "jane", email: "jane@example.com", name: "Alice", color: "blue", ok: true };
client.setRequestHandler("elicitation/create", ({ params }) => {
  if (params.mode === "url") return { action: "accept" };
  const names = Object.keys(params.requestedSchema.properties);
  return { action: "accept", content: Object.fromEntries(names.map((name) => [name, known[name]])) };
});
client.setRequestHandler("sampling/createMessage", ({ params }) => {
  const said = [params.messages[0].content].flat()[0].text;
  return { role: "assistant", model: "m", content: { type: "text", text: `heard ${said}` } };
});
client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///home", name: "home" }] }));
client.setNotificationHandler("notifications/message", ({ params }) => {
  got.logged.push(params.data);
});

let changed = () => {};
for (const kind of ["tools/list_changed", "prompts/list_changed", "resources/updated"]) {
  client.setNotificationHandler(`notifications/${kind}`, () => {
    got.changes.push(kind);
    changed();
  });
}
const change = async (name) => {
  const heard = new Promise((resolve) => { changed = resolve; });
  await client.callTool({ name });
  await heard;
};

const [command, ...args] = target;
await client.connect(
  command.startsWith("http") ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args }),
);
got.revision = client.getNegotiatedProtocolVersion();

const call = async (name, args = {}, options = {}) =>
  (await client.callTool({ name, arguments: args, _meta: modern ? { "io.modelcontextprotocol/logLevel": "debug" } : undefined }, options));
const text = async (name, args = {}) => (await call(name, args)).content[0].text;

got.tools = (await client.listTools()).tools.map((tool) => tool.name);
got.resources = (await client.listResources()).resources.length;
got.templates = (await client.listResourceTemplates()).resourceTemplates.length;
got.prompts = (await client.listPrompts()).prompts.length;
got.mixed = (await call("test_multiple_content_types")).content.map((block) => block.type);
got.structured = (await call("test_structured_content", { city: "Bergen" })).structuredContent;
got.region = await text("test_x_mcp_header", { region: "północ" });
got.failed = (await call("test_error_handling")).isError;
got.unknown = await client.callTool({ name: "no_such_tool" }).then(() => null, (error) => error.code);
got.read = (await client.readResource({ uri: "test://template/123/data" })).contents[0].text;
got.prompt = (await client.getPrompt({ name: "test_prompt_with_arguments", arguments: { arg1: "one", arg2: "two" } })).messages[0].content.text;
got.completed = (
  await client.complete({ ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "par" } })
).completion.values;

got.elicited = await text("test_elicitation", { message: "Who are you?" });
got.visited = await text("test_elicitation_url");
got.sampled = await text("test_sampling", { prompt: "hi" });
got.roots = await text("test_roots");
got.rounds = await text("test_input_required_result_multi_round");
got.several = await text("test_input_required_result_multiple_inputs");

await call("test_tool_with_progress", {}, { onprogress: ({ progress, total }) => got.progress.push([progress, total]) });
if (!modern) await client.setLoggingLevel("info");
await call("test_tool_with_logging");

if (modern) {
  const stream = await client.listen({ toolsListChanged: true, resourceSubscriptions: ["test://watched-resource"] });
  await change("test_trigger_tool_change");
  await change("test_trigger_resource_change");
  await stream.close();
} else {
  await client.subscribeResource({ uri: "test://watched-resource" });
  await change("test_trigger_tool_change");
  await change("test_trigger_resource_change");
}

got.given_up = await call("test_slow", { seconds: 60 }, { signal: AbortSignal.timeout(300) }).then(() => false, () => true);
got.after = await text("test_slow", { seconds: 0 });

await client.close();
console.log(JSON.stringify(got));
