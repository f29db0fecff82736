// JSON whose numbers stay as they were sent, so that 3.0 is not 3: with line breaks and indents, or as data.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The same JSON, one value per line. */
export function prettify(json) {
  let text = "";
  let depth = 0;
  let last = "";
  const breakLine = () => (text += `\n${"  ".repeat(depth)}`);
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === "}" || token === "]") {
      depth--;
      if (last !== "{" && last !== "[") breakLine();
    } else if (last === "{" || last === "[" || last === ",") breakLine();
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
    last = token;
  }
  return text;
}

/** The data of a JSON text. A number that JavaScript would write in another way is raw JSON, if the browser has that. */
export function parseExactly(json) {
  const canKeep = typeof JSON.rawJSON === "function";
  return JSON.parse(json, (_, value, context) => (canKeep && typeof value === "number" && String(value) !== context.source ? JSON.rawJSON(context.source) : value));
}

/** Whether a value is a number, also one in raw JSON. */
export const isNumber = (value) => typeof value === "number" || Boolean(JSON.isRawJSON?.(value));
