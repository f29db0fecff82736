// The headers that repeat parts of a request, as revisions without a handshake need them.

const NAMED = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** Mcp-Method, Mcp-Name, and a header for each argument whose schema asks for one. */
export function headersFor(message, schema) {
  const headers = { "Mcp-Method": message.method };
  const field = NAMED[message.method];
  if (field) headers["Mcp-Name"] = encode(String(message.params[field]));
  if (schema) addParams(headers, schema, message.params.arguments ?? {});
  return headers;
}

function addParams(headers, schema, value) {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const argument = value?.[name];
    if (argument === undefined || argument === null) continue;
    if (part["x-mcp-header"]) headers[`Mcp-Param-${part["x-mcp-header"]}`] = encode(String(argument));
    else if (part.properties) addParams(headers, part, argument);
  }
}

/** The value of a header: text that a header cannot have is in base64. */
export function encode(text) {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}?=`;
}
