/** The text of a document, read in pages, around the passage that a search has found. */
import { fill, h } from "./dom.js";
import { formatNumber } from "./format.js";
import { highlight } from "./highlight.js";
import { call, CallError } from "./mcp.js";
import { isAbort, problem } from "./parts.js";

/** @typedef {import("./mcp.js").Output} Output */

/** Number of chunks of a page, and of those before a passage. */
const PAGE = 20;
const BEFORE = 3;
/** Maximum length of a text that can be edited here, in characters. */
const MAX_EDITED_CHARS = 1_000_000;

/**
 * Shows the text from its start, or around a passage.
 *
 * @param {object} options
 * @param {string | number} options.id
 * @param {number | undefined} options.at Index of the chunk of the passage.
 * @param {readonly string[]} options.terms Words to mark.
 * @param {AbortSignal} options.signal
 */
export function textSection({ id, at, terms, signal }) {
  const earlier = h("div", { class: "more" });
  const body = h("div", { class: "text" });
  const later = h("div", { class: "more" });
  const section = h("section", { "aria-label": "Text" }, earlier, body, later);

  /** @param {number} offset @param {number} limit */
  const read = (offset, limit) => call("kb_get", { document_id: id, offset, limit }, { signal });

  /** @param {Output} page @param {boolean} [isFound] */
  const passages = ({ chunks = [] }, isFound = false) =>
    chunks.map((/** @type {Output} */ chunk) => passage(chunk, { terms, isFound }));

  /** @param {number} start Index of the first chunk that is shown. */
  const offerEarlier = (start) => {
    if (start <= 0) return fill(earlier);
    const from = Math.max(0, start - PAGE);
    const button = h("button", {
      type: "button",
      onclick: () =>
        load(earlier, async () => {
          const page = await read(from, start - from);
          body.prepend(...passages(page));
          offerEarlier(from);
        }),
    }, "Earlier text");
    fill(earlier, button);
  };

  /** @param {number | undefined} next @param {number} total */
  const offerLater = (next, total) => {
    if (next === undefined || next >= total) return fill(later);
    const button = h("button", {
      type: "button",
      onclick: () =>
        load(later, async () => {
          const page = await read(next, PAGE);
          body.append(...passages(page));
          offerLater(page.next_offset, total);
        }),
    }, `Later text (${formatNumber(total - Math.floor(next))} of ${formatNumber(total)} passages)`);
    fill(later, button);
  };

  /** @param {HTMLElement} place @param {() => Promise<void>} action */
  const load = async (place, action) => {
    fill(place, h("p", { class: "loading" }, "Loading …"));
    try {
      await action();
    } catch (error) {
      if (!isAbort(error)) fill(place, problem(error, () => load(place, action)));
    }
  };

  void load(later, async () => {
    if (at === undefined) {
      const page = await read(0, PAGE);
      body.append(...passages(page));
      if (!page.chunks?.length) body.append(h("p", { class: "hint" }, "This document has no text."));
      return offerLater(page.next_offset, page.chunks_total);
    }
    const found = await read(at, 1);
    const total = found.chunks_total;
    const start = Math.max(0, at - BEFORE);
    /** @type {readonly Output[]} */
    const [before = {}, after = {}] = await Promise.all([
      start < at ? read(start, at - start) : {},
      at + 1 < total ? read(at + 1, PAGE) : {},
    ]);
    const shown = passages(found, true);
    body.append(...passages(before), ...shown, ...passages(after));
    offerEarlier(start);
    offerLater(after.next_offset, total);
    shown[0]?.scrollIntoView({ block: "center" });
  });
  return section;
}

/**
 * @param {Output} chunk
 * @param {{ terms: readonly string[], isFound?: boolean }} options
 */
export function passage({ text, heading_path, page_start }, { terms, isFound = false }) {
  const place = [
    page_start === undefined ? "" : `Page ${page_start}`,
    ...(heading_path ?? []),
  ].filter((part) => part !== "").join(" › ");
  return h(
    "div",
    isFound ? { class: "found", id: "passage" } : {},
    place !== "" && h("p", { class: "place" }, place),
    h("p", {}, ...highlight(text, terms)),
  );
}

/**
 * Reads the whole text of a note, to edit it.
 *
 * @param {string | number} id
 * @param {AbortSignal} signal
 * @returns {Promise<{ text: string, version: number | undefined }>} The version that the text is of.
 */
export async function wholeText(id, signal) {
  let text = "";
  /** @type {number | undefined} */
  let offset;
  let version;
  do {
    const page = await call("kb_get", { document_id: id, offset, limit: 1000 }, { signal });
    if (offset !== undefined && page.version !== version) {
      throw new CallError("The note has changed while it was read. Try again.");
    }
    version = page.version;
    text += page.chunks.map((/** @type {Output} */ chunk) => chunk.text).join("");
    offset = page.next_offset;
    if (text.length > MAX_EDITED_CHARS) throw new CallError("This note is too long to edit here.");
  } while (offset !== undefined);
  return { text, version };
}
