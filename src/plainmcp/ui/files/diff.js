// The difference between two texts, line by line. Indents do not count: the same JSON at another depth is the same.

const MAX_CELLS = 4_000_000;

/** `[{ kind: "same" | "out" | "in", text }]`: what leaves the first text and what comes into the second. */
export function diffLines(first, second) {
  const one = first.split("\n");
  const two = second.split("\n");
  const isSame = (i, j) => one[i].trim() === two[j].trim();
  let start = 0;
  while (start < one.length && start < two.length && isSame(start, start)) start++;
  let end = 0;
  while (end < one.length - start && end < two.length - start && isSame(one.length - 1 - end, two.length - 1 - end)) end++;
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  const middle = diffMiddle(one.slice(start, one.length - end), two.slice(start, two.length - end));
  return [...same(two.slice(0, start)), ...middle, ...same(two.slice(two.length - end))];
}

function diffMiddle(one, two) {
  if (one.length * two.length > MAX_CELLS) {
    return [...one.map((text) => ({ kind: "out", text })), ...two.map((text) => ({ kind: "in", text }))];
  }
  const isSame = (i, j) => one[i].trim() === two[j].trim();
  const weights = one.map((line) => (/\w/.test(line) ? 8 : 1)); // lines with brackets only are alike by chance
  const width = two.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width); // how much is common from here on
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = two.length - 1; j >= 0; j--) {
      lengths[i * width + j] = isSame(i, j) ? lengths[(i + 1) * width + j + 1] + weights[i] : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && isSame(i, j)) {
      lines.push({ kind: "same", text: two[j] });
      i++;
      j++;
    } else if (j >= two.length || (i < one.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      lines.push({ kind: "out", text: one[i++] });
    } else {
      lines.push({ kind: "in", text: two[j++] });
    }
  }
  return lines;
}
