// Drives one Chromium for tests: each line of input is a call of a method of the page, each line of output its result.
// Arguments: the directories of @sparticuz/chromium and of puppeteer-core.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [chromium, puppeteer] = process.argv.slice(2);
const { default: build, inflate, setupLambdaEnvironment } = await import(pathToFileURL(join(chromium, "build/index.js")));
const { default: driver } = await import(pathToFileURL(join(puppeteer, "lib/puppeteer/puppeteer-core.js")));

// The libraries that the package carries stand in for those that the system lacks.
setupLambdaEnvironment(join(tmpdir(), "al2023", "lib"));
await inflate(join(chromium, "bin/al2023.tar.br"));
const options = {
  executablePath: await build.executablePath(),
  args: build.args.filter((flag) => !flag.includes("web-security") && !flag.includes("insecure-content")),
  headless: "shell",
};
const browser = await driver.launch(options).catch((error) => {
  console.error(error); // one start in a hundred fails on a busy machine
  return driver.launch(options);
});
const page = await browser.newPage();
const problems = [];
page.on("console", (message) => {
  if (["error", "warn"].includes(message.type())) problems.push(message.text());
});
page.on("pageerror", (error) => problems.push(String(error)));
page.on("requestfailed", (request) => {
  if (!request.failure()?.errorText.includes("ABORTED")) problems.push(`${request.url()} ${request.failure()?.errorText}`);
});

const methods = {
  problems: () => problems.splice(0),
  press: (key) => page.keyboard.press(key),
  text: (keys) => page.keyboard.type(keys),
  chord: async (held, key) => {
    await page.keyboard.down(held);
    await page.keyboard.press(key);
    await page.keyboard.up(held);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [method, ...args] = JSON.parse(line);
  let answer;
  try {
    const value = await (methods[method] ?? page[method].bind(page))(...args);
    answer = { value: ["object", "function"].includes(typeof value) && !(Array.isArray(value) || value?.constructor === Object) ? null : (value ?? null) };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
}
await browser.close();
