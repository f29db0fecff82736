// Counts what a text costs: bytes as they are sent, and tokens as a rough guess.

/** The number of bytes of a text in UTF-8. */
export const bytesOf = (text) => new TextEncoder().encode(text).length;

/** About how many tokens a model needs for a text: characters / 4. */
export const tokensOf = (text) => Math.ceil([...text].length / 4);

/** A number with separators, the same in every language of the browser. */
export const showNumber = (number) => number.toLocaleString("en");

/** A number of bytes, for people. */
export function showBytes(count) {
  return count === 1 ? "1 byte" : `${showNumber(count)} bytes`;
}
