// The official TypeScript client as a client of the soak; writes what it does as lines of JSON.
// Arguments: the client's directory, "legacy" or "auto", a URL, a name, the number of operations, a seed, and how many seconds
// it waits at most after an operation.

import { pathToFileURL } from "node:url";

const [folder, mode, url, name, count, seed, pace] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(`${folder}/dist/index.mjs`));

const PATIENCE = 25_000; // how many milliseconds an operation may take
const TIMEOUT = 8_000; // of a request: this client does not see that the stream of a response was cut on 2026-07-28
const modern = mode === "auto";
const uris = Array.from({ length: 40 }, (_, number) => `note://${name}-${number}`);
const now = () => Date.now() / 1000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let state = Number(seed);
const random = (below) => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor((state / 2147483648) * below);
};

class Wrong extends Error {}
const expect = (value, expected) => {
  if (JSON.stringify(value) !== JSON.stringify(expected)) {
    throw new Wrong(`${JSON.stringify(value)} came instead of ${JSON.stringify(expected)}`);
  }
};

// Watches: a session, or a listen stream. The reader of these lines knows them by their numbers.
let watches = 0;
const beginWatch = (asked) => {
  watches += 1;
  write({ watch: watches, asked });
  return watches;
};

const connect = async () => {
  const client = new Client(
    { name: "soak", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: { word: params.message } }));
  client.onerror = () => {};
  const reconnectionOptions = { initialReconnectionDelay: 200, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1, maxRetries: 50 };
  let opened; // whether the stream for updates was opened: if that fails the first time, this client never tries again
  let session = null;
  const listening = new Promise((resolve) => { opened = resolve; });
  const watchingFetch = async (target, init) => {
    const isStream = init?.method === "GET" && !new Headers(init.headers).has("last-event-id");
    const response = await fetch(target, init).catch((error) => {
      if (isStream) opened(false);
      throw error;
    });
    if (isStream) opened(response.ok);
    // If it was cut before its first event, this client can only begin again.
    if (isStream && response.ok && session) write({ watch: session.watch, since: now(), uris: [...session.subscribed] });
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions, fetch: watchingFetch }));
  if (!modern && !(await listening)) {
    await client.close();
    throw new Error("there is no stream for updates");
  }
  expect(client.getNegotiatedProtocolVersion(), modern ? "2026-07-28" : "2025-11-25");
  session = { client, watch: beginWatch([]), subscribed: new Set(), open: true };
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    write({ watch: session.watch, got: params.uri });
  });
  if (modern) listen(session);
  return session;
};

const listen = async (session) => {
  while (session.open) {
    const watch = (session.watch = beginWatch(uris));
    try {
      const stream = await session.client.listen({ resourceSubscriptions: uris });
      write({ watch, since: now(), uris });
      await stream.closed;
    } catch {
      // it is opened again
    }
    if (session.open) write({ watch, until: now() });
    await pause(200);
  }
};

const call = async (session, one, tool, args, options = {}) => {
  const result = await session.client.callTool({ name: tool, arguments: { word: one.word, ...args } }, { timeout: TIMEOUT, ...options });
  one.responses += 1;
  const text = result.content[0].text;
  if (result.isError) throw new Error(text);
  return text;
};

const countTo = async (session, one, to, leave_after) => {
  const numbers = [];
  const onprogress = ({ progress }) => numbers.push(progress);
  expect(await call(session, one, "count", { to, seconds: 0.05, leave_after }, { onprogress }), `counted to ${to}`);
  expect(numbers, Array.from({ length: to }, (_, number) => number + 1));
};

const operations = {
  call: async (session, one) => expect(await call(session, one, "add", { a: 1, b: 2 }), "3"),
  question: async (session, one) => expect(await call(session, one, "confirm", {}), `accept ${one.word}`),
  progress: async (session, one) => countTo(session, one, 4, 0),
  resume: async (session, one) => countTo(session, one, 6, 1 + random(3)),
  cancel: async (session, one) => {
    const abort = new AbortController();
    const options = { signal: abort.signal, onprogress: () => abort.abort() };
    const text = await call(session, one, "count", { to: 400, seconds: 0.05 }, options).catch((error) => {
      if (!abort.signal.aborted) throw error;
    });
    if (text !== undefined) throw new Wrong(`a response after a cancel: ${text}`);
  },
  update: async (session, one) => {
    const uri = uris[random(uris.length)];
    if (!modern && !session.subscribed.has(uri)) {
      write({ watch: session.watch, asked: [uri] });
      await session.client.subscribeResource({ uri });
      write({ watch: session.watch, since: now(), uris: [uri] });
      session.subscribed.add(uri);
    }
    const began = now();
    let acknowledged = null;
    try {
      expect(await call(session, one, "change", { uri }), `${uri} changed`);
      acknowledged = now();
    } finally {
      write({ change: uri, began, acknowledged });
    }
  },
};

const kinds = Object.keys(operations).filter((kind) => !(modern && kind === "resume"));
const LATE = "it took too long";
const inTime = (work) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(LATE)), PATIENCE); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

let session = null;
for (let number = 1; number <= Number(count); number += 1) {
  while (session === null) session = await inTime(connect()).catch(() => pause(300).then(() => null));
  const kind = kinds[random(kinds.length)];
  const one = { kind, word: `${name}-${number}`, began: now(), outcome: "done", detail: "", responses: 0 };
  try {
    await inTime(operations[kind](session, one));
  } catch (error) {
    one.outcome = error instanceof Wrong ? "wrong" : error.message === LATE ? "no answer" : "failed";
    one.detail = String(error);
  }
  write({ ...one, ended: now() });
  await pause(random(1000 * Number(pace) + 1));
  if (one.outcome !== "done") {
    write({ watch: session.watch, until: one.began });
    session.open = false;
    await inTime(session.client.close()).catch(() => {});
    session = null;
  }
}
write({ finished: true }); // the reader waits for the last updates, and then ends this program
await new Promise((resolve) => process.stdin.on("end", resolve).resume());
process.exit(0);
