// Suggestions of the server for the arguments of prompts and resource templates, while somebody types.

import { fill, h, newId } from "./dom.js";

const MILLISECONDS = 150; // after the last key

/** Offer suggestions in inputs, by name; `suggest(name, text)` asks for them. */
export function offerCompletions(inputs, suggest) {
  for (const [name, input] of inputs) {
    const list = h("datalist", { id: newId("suggestions") });
    let timer = 0;
    input.setAttribute("list", list.id);
    input.after(list);
    const ask = async () => {
      const values = await suggest(name, input.value).catch(() => []);
      fill(list, values.map((value) => h("option", { value })));
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, MILLISECONDS);
    };
    input.addEventListener("input", wait);
    input.addEventListener("focus", wait);
  }
}
