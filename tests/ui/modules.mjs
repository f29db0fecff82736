// Calls functions of the page's modules that need no browser: each line of input is [module, function, ...arguments].
// Argument: the folder of the modules.

import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

for await (const line of createInterface({ input: process.stdin })) {
  const [module, name, ...args] = JSON.parse(line);
  const functions = await import(pathToFileURL(join(process.argv[2], `${module}.js`)));
  console.log(JSON.stringify(functions[name](...args) ?? null));
}
