// JSON with line breaks and indents, token by token: numbers stay as they were sent, so 3.0 is not 3.

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
