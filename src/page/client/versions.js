/** Former versions of a document: when and by whom they ended, their text, and how to return to them. */
import { announce, fill, h } from "./dom.js";
import { confirmDialog } from "./dialog.js";
import { rejectConflict } from "./conflict.js";
import { formatTime } from "./format.js";
import { call } from "./mcp.js";
import { factsLine, pagedList, run } from "./parts.js";
import { passage } from "./text.js";

/** @typedef {import("./mcp.js").Output} Output */

/**
 * @param {{ details: Output, view: import("./parts.js").View }} options
 */
export function versionsSection({ details, view }) {
  const { document_id } = details;
  const { signal } = view;
  const body = h("div", {});
  let isRead = false;
  const read = () => {
    isRead = true;
    const empty = h("p", { class: "hint", hidden: true }, "There are no former versions.");
    const list = pagedList({
      list: h("ul", { class: "rows" }),
      label: "Older versions",
      signal,
      async read(cursor) {
        const output = await call("kb_history", { document_id, cursor }, { signal });
        const revisions = /** @type {Output[]} */ (output.revisions ?? []);
        if (cursor === undefined) empty.hidden = revisions.length > 0;
        return {
          items: revisions.map((revision) => row(revision, { details, view })),
          next: output.next_cursor ?? undefined,
        };
      },
    });
    fill(body, empty, list);
  };
  return h("details", { ontoggle: () => isRead || read() }, h("summary", {}, "Former versions"), body);
}

/**
 * @param {Output} revision
 * @param {{ details: Output, view: import("./parts.js").View }} context
 */
function row({ version, title, changed_at, changed_by, change }, { details, view }) {
  const { document_id } = details;
  const status = h("div", {});
  const show = h("button", {
    type: "button",
    "aria-label": `Show version ${version}`,
    onclick: () => run({ button: show, status }, () => showText({ document_id, version, status })),
  }, "Show");
  const restore = h("button", {
    type: "button",
    "aria-label": `Restore version ${version}`,
    onclick: async () => {
      const isSure = await confirmDialog({
        title: `Restore version ${version}?`,
        text: "The document gets its text and title back. The current version stays in this list.",
        action: "Restore",
      });
      if (!isSure) return;
      await run({ button: restore, status, busy: "Restoring …" }, async () => {
        rejectConflict(
          await call("kb_restore", { document_id, revision: version, if_version: details["version"] }),
        );
        announce("Restored");
        view.reload();
      });
    },
  }, "Restore");
  return h(
    "li",
    {},
    h("b", {}, `Version ${version}`),
    title ? `: ${title}` : "",
    factsLine(
      `until ${formatTime(changed_at)}`,
      change && `then changed: ${change}`,
      changed_by && `by ${changed_by}`,
    ),
    h("div", { class: "actions" }, show, view.tools.has("kb_restore") && restore),
    status,
  );
}

/**
 * @param {{ document_id: string | number, version: number, status: HTMLElement }} options
 */
async function showText({ document_id, version, status }) {
  const { chunks = [], next_cursor } = await call("kb_history", { document_id, revision: version });
  fill(
    status,
    h(
      "div",
      { class: "text former" },
      ...chunks.map((/** @type {Output} */ chunk) => passage(chunk, { terms: [] })),
    ),
    next_cursor && h("p", { class: "hint" }, "Only its first part is shown."),
  );
}
