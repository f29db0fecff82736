// Notices when the server offers something else, also after it has started again.

import { Client } from "./client.js";

const NOTIFICATIONS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const MILLISECONDS = 1000; // before the next attempt, when the server does not answer

/** Call `onChange` whenever the offer may have changed. Returns a function that ends this. */
export function watch(endpoint, revision, token, onChange) {
  const stop = new AbortController();
  listen(new Client(endpoint, revision, token), stop.signal, onChange);
  return () => stop.abort();
}

async function listen(client, signal, onChange) {
  let isNew = true; // whether nothing can have been missed
  const notification = (method) => {
    if (method !== "notifications/subscriptions/acknowledged" || !isNew) onChange();
    isNew = false;
  };
  while (!signal.aborted) {
    try {
      await client.request("subscriptions/listen", { notifications: NOTIFICATIONS }, { on: { notification }, signal });
    } catch (error) {
      if (error.code || error.status) return; // the server refuses: it will again
    }
    await new Promise((resolve) => setTimeout(resolve, MILLISECONDS));
  }
}
