// The place in the URL: which feature is open, and with which arguments. Only the browser sees it: it is a fragment.

/** `{ kind, name, values }` of the URL; null if it names nothing. */
export function readPlace() {
  const match = /^#(tools|resources|templates|prompts)\/([^?]+)(?:\?(.*))?$/.exec(location.hash);
  if (!match) return null;
  try {
    return { kind: match[1], name: decodeURIComponent(match[2]), values: match[3] ? JSON.parse(decodeURIComponent(match[3])) : null };
  } catch {
    return null;
  }
}

/** The fragment of a place. */
export function toFragment(kind, name, values = null) {
  const given = values && Object.keys(values).length ? `?${encodeURIComponent(JSON.stringify(values))}` : "";
  return `#${kind}/${encodeURIComponent(name)}${given}`;
}

/** Add a place to the history of the browser, unless it is the current one. */
export function rememberPlace(kind, name, values) {
  const fragment = toFragment(kind, name, values);
  if (location.hash !== fragment) history.pushState(null, "", fragment);
}
