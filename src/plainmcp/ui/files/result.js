// A result as a person sees it: texts, tables, images, sounds, resources and messages.

import { renderData } from "./data.js";
import { h } from "./dom.js";
import { isMarkdown, renderMarkdown } from "./markdown.js";
import { parseExactly } from "./pretty.js";
import { bytesOf, showBytes, showNumber } from "./sizes.js";

const MAX_TEXT = 200_000;
const MAX_BLOCKS = 50;

/** The result of a tool, a resource or a prompt. `onRead` is called with the URI of a linked resource. */
export function renderResult(result, onRead) {
  const parts = [];
  if (result.messages) parts.push(renderSome(result.messages, (message) => renderMessage(message, onRead)));
  if (result.contents) parts.push(renderSome(result.contents, (one) => renderBlock({ type: "resource", resource: one }, onRead)));
  const structured = result.structuredContent;
  if (structured !== undefined) parts.push(section("Structured content", renderData(structured)));
  const blocks = result.content ?? [];
  if (blocks.length) {
    parts.push(h("div", { class: "blocks" }, renderSome(blocks, (block, index) => section(titleOf(block, index, blocks.length), renderBlock(block, onRead)))));
  }
  if (!parts.flat().length) parts.push(h("p", { class: "hint" }, "The result is empty."));
  return h("div", { class: result.isError ? "result failed" : "result" }, result.isError ? h("p", { class: "badge bad" }, "The tool reports an error") : null, parts);
}

/** The first blocks, and how many there are besides: a page with thousands of them would take long. */
function renderSome(blocks, render) {
  const more = blocks.length - MAX_BLOCKS;
  return [...blocks.slice(0, MAX_BLOCKS).map(render), ...(more > 0 ? [h("p", { class: "hint" }, `${showNumber(more)} more blocks are not shown`)] : [])];
}

function titleOf(block, index, count) {
  return count === 1 ? `Content: ${block.type}` : `Content ${index + 1} of ${count}: ${block.type}`;
}

const section = (title, ...children) => h("section", { class: "part" }, h("h4", {}, title), children);

function renderMessage(message, onRead) {
  const blocks = [message.content].flat();
  return section(message.role, blocks.map((block) => renderBlock(block, onRead)));
}

/** One block of content. */
export function renderBlock(block, onRead) {
  switch (block.type) {
    case "text": return renderText(block.text);
    case "image": return renderMedia(block.mimeType, block.data);
    case "audio": return renderMedia(block.mimeType, block.data);
    case "resource": return renderResource(block.resource);
    case "resource_link": return renderLink(block, onRead);
  }
  return renderData(block);
}

/** A text: as data if it is JSON, as Markdown if it looks like it, and as it is. */
export function renderText(text) {
  if (text.length > MAX_TEXT) return plain(`${text.slice(0, MAX_TEXT)}\n… ${text.length - MAX_TEXT} more characters`);
  const data = parseData(text);
  const nice = data !== undefined ? renderData(data) : isMarkdown(text) ? renderMarkdown(text) : null;
  if (!nice) return plain(text);
  return h("div", {}, nice, h("details", { class: "source" }, h("summary", {}, "As text"), plain(text)));
}

const plain = (text) => h("pre", { class: "text", tabindex: "0", role: "region", "aria-label": "Text" }, text);

function parseData(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

function renderMedia(type = "application/octet-stream", data = "") {
  const source = `data:${type};base64,${data}`;
  const size = showBytes(Math.floor((data.replace(/=+$/, "").length * 3) / 4));
  const caption = `${type}, ${size}`;
  if (type.startsWith("image/")) return h("figure", {}, h("img", { src: source, alt: `Image of the result: ${caption}` }), h("figcaption", {}, caption));
  if (type.startsWith("audio/")) return h("figure", {}, h("audio", { controls: true, src: source, "aria-label": `Sound of the result: ${caption}` }), h("figcaption", {}, caption));
  return h("p", {}, h("a", { href: source, download: "resource" }, `Download (${caption})`));
}

function renderResource(resource) {
  const about = h("p", { class: "hint" }, h("code", {}, resource.uri), resource.mimeType ? ` · ${resource.mimeType}` : "", resource.text === undefined ? "" : ` · ${showBytes(bytesOf(resource.text))}`);
  const body = resource.text === undefined ? renderMedia(resource.mimeType, resource.blob) : renderText(resource.text);
  return h("div", {}, about, body);
}

function renderLink(link, onRead) {
  const title = link.title ?? link.name ?? link.uri;
  const note = [link.description, link.mimeType].filter(Boolean).join(" · ");
  return h("p", {}, h("button", { type: "button", class: "link", click: () => onRead(link.uri) }, `Read ${title}`), " ", h("code", {}, link.uri), note ? ` ${note}` : "");
}
