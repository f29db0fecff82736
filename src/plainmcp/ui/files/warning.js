// Whether a tool may change something, by what it declares; and the question before one that does.

import { h } from "./dom.js";

/** `{ level, badge, text }`: level is "none", "note" for tools that do not say, or "ask" for those that write. */
export function warningOf(tool) {
  const hints = tool.annotations ?? {};
  if (hints.readOnlyHint === true) return { level: "none", badge: "only reads", text: "" };
  if (hints.destructiveHint === true) return { level: "ask", badge: "destroys", text: "This tool can delete or overwrite something." };
  if (hints.readOnlyHint === false || hints.destructiveHint === false) return { level: "ask", badge: "writes", text: "This tool changes something." };
  return { level: "note", badge: "may write", text: "This tool does not declare that it only reads, so it may change something." };
}

/** Ask before a tool that writes; resolves with whether it may run. */
export function confirmRun(name, text) {
  const { promise, resolve } = Promise.withResolvers();
  const close = (value) => () => dialog.close(value);
  const dialog = h("dialog", { "aria-labelledby": "confirm-title", close: () => {
    resolve(dialog.returnValue === "run");
    dialog.remove();
  } },
    h("h2", { id: "confirm-title" }, `Run ${name}?`),
    h("p", {}, text),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "danger", click: close("run") }, "Run it"),
      h("button", { type: "button", autofocus: true, click: close("") }, "Do not run")));
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
