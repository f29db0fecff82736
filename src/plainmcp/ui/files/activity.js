// What happens while a request runs: progress and log messages, as they come.

import { fill, h } from "./dom.js";

const MAX_LINES = 500;

/** A place for progress and messages; `notify` takes each notification. */
export function buildActivity() {
  const bar = h("progress", { "aria-label": "Progress" });
  const words = h("span", {});
  const progress = h("p", { class: "progress", hidden: true }, bar, " ", words);
  const log = h("div", { class: "log", role: "log", tabindex: "0", "aria-label": "Messages", hidden: true });
  const notify = (method, params) => {
    if (method === "notifications/progress") {
      progress.hidden = false;
      if (params.total) Object.assign(bar, { max: params.total, value: params.progress });
      else bar.removeAttribute("value");
      fill(words, `${params.progress}${params.total ? ` of ${params.total}` : ""}${params.message ? ` · ${params.message}` : ""}`);
    } else if (method === "notifications/message") {
      log.hidden = false;
      const text = typeof params.data === "string" ? params.data : JSON.stringify(params.data);
      log.append(h("p", { class: `level-${params.level}` }, h("b", {}, params.level), " ", params.logger ? `${params.logger}: ` : "", text));
      if (log.childElementCount > MAX_LINES) log.firstElementChild.remove();
      log.scrollTop = log.scrollHeight;
    }
  };
  return { element: h("div", { class: "activity" }, progress, log), notify };
}
