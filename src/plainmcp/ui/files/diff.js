// The difference between two texts, line by line.

const MAX_CELLS = 4_000_000;

/** `[{ kind: "same" | "out" | "in", text }]`: what leaves the first text and what comes into the second. */
export function diffLines(first, second) {
  const one = first.split("\n");
  const two = second.split("\n");
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start++;
  let end = 0;
  while (end < one.length - start && end < two.length - start && one[one.length - 1 - end] === two[two.length - 1 - end]) end++;
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  const middle = diffMiddle(one.slice(start, one.length - end), two.slice(start, two.length - end));
  return [...same(one.slice(0, start)), ...middle, ...same(one.slice(one.length - end))];
}

function diffMiddle(one, two) {
  if (one.length * two.length > MAX_CELLS) {
    return [...one.map((text) => ({ kind: "out", text })), ...two.map((text) => ({ kind: "in", text }))];
  }
  const width = two.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width); // of the longest common part from here on
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = two.length - 1; j >= 0; j--) {
      lengths[i * width + j] = one[i] === two[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && one[i] === two[j]) {
      lines.push({ kind: "same", text: one[i] });
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
