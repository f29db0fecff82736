// The official TypeScript client logs in against a protected server; prints what it got as one line of JSON.
// Arguments: the client's directory, "legacy" or "auto", and the URL of the server.

import { pathToFileURL } from "node:url";

const [folder, mode, url] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import(
  pathToFileURL(`${folder}/dist/index.mjs`)
);

const stored = {};
let callback;
let logins = 0;
const authProvider = {
  redirectUrl: "http://127.0.0.1:9/callback",
  clientMetadata: { redirect_uris: ["http://127.0.0.1:9/callback"], client_name: "t" },
  clientInformation: () => stored.client,
  saveClientInformation: (client) => void (stored.client = client),
  tokens: () => stored.tokens,
  saveTokens: (tokens) => void (stored.tokens = tokens),
  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  codeVerifier: () => stored.verifier,
  async redirectToAuthorization(address) {
    logins += 1; // the user agrees at once
    const answer = await fetch(address, { redirect: "manual" });
    callback = new URL(answer.headers.get("location")).searchParams;
  },
};

let transport;
const connect = async () => {
  const client = new Client({ name: "interop", version: "1" }, { versionNegotiation: { mode } });
  transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  await client.connect(transport);
  return client;
};

// After a login the client tries again what it was refused.
const persist = async (action) => {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof UnauthorizedError) && !(error?.cause instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(callback);
    return await action();
  }
};

const client = await persist(connect);
const textOf = (result) => result.content[0].text;
const read = textOf(await persist(() => client.callTool({ name: "read", arguments: {} })));
const written = textOf(await persist(() => client.callTool({ name: "write", arguments: { text: "hello" } })));
await client.close();
console.log(JSON.stringify({ read, written, logins }));
