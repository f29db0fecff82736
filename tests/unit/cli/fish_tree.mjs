// Reads a script of fish from standard input, and prints the nodes that its grammar does not understand.
//
// node fish_tree.mjs <folder of web-tree-sitter> <tree-sitter-fish.wasm>

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [, , folder, grammar] = process.argv;
const Parser = createRequire(import.meta.url)(folder);
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Parser.Language.load(readFileSync(grammar)));
const { rootNode } = parser.parse(readFileSync(0, "utf-8"));
const mistakes = rootNode.descendantsOfType("ERROR").map((node) => node.text);
console.log(JSON.stringify({ isBroken: rootNode.hasError, mistakes, commands: rootNode.descendantsOfType("command").length }));
