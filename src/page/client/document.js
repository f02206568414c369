/** One document: its facts, text, versions, and what can be done with it. */
import { announce, fill, h, webLink } from "./dom.js";
import { rejectConflict } from "./conflict.js";
import { confirmDialog } from "./dialog.js";
import { editForm } from "./edit.js";
import { formatSize, formatTime, titleOf, typeOf } from "./format.js";
import { queryTerms } from "./highlight.js";
import { call, CallError } from "./mcp.js";
import {
  collectionLabel,
  factsLine,
  field,
  heading,
  isAbort,
  knownNames,
  problem,
  run,
  select,
} from "./parts.js";
import { documentHref, href, navigate } from "./router.js";
import { textSection } from "./text.js";
import { versionsSection } from "./versions.js";

/** @typedef {import("./mcp.js").Output} Output */

/** @param {import("./parts.js").View} view */
export async function documentView(view) {
  const { main, route: { id, query }, signal, tools } = view;
  const details = await call("kb_get", { document_id: id, chunks: false }, { signal });
  const title = titleOf(details);
  document.title = `${title} · Knowledge base`;
  const isNote = typeOf(details["doc_type"]) === "note";
  const canEditText = isNote && tools.has("kb_update_note");
  const canEdit = canEditText || tools.has("kb_edit");
  if (query.has("edit") && canEdit) {
    const form = await editForm({
      details,
      canEditText,
      signal,
      onDone: () => navigate(documentHref(id)),
    });
    signal.throwIfAborted();
    fill(main, heading(`Edit: ${title}`), form);
    return;
  }
  const at = /^\d{1,9}$/.test(query.get("at") ?? "") ? Number(query.get("at")) : undefined;
  fill(
    main,
    heading(title),
    factsLine(
      collectionLabel(details["collection"]),
      typeOf(details["doc_type"]),
      details["language"],
      formatSize(details["size_bytes"]),
      `added ${formatTime(details["created_at"])}`,
      details["updated_at"] && `changed ${formatTime(details["updated_at"])}`,
      details["version"] && `version ${details["version"]}`,
      ...(details["tags"] ?? []).map((/** @type {string} */ tag) => `#${tag}`),
    ),
    details["warning"] && h("p", { class: "notice" }, details["warning"]),
    actions(details, { ...view, canEdit }),
    related(details),
    contents(id, signal),
    textSection({ id, at, terms: queryTerms(query.get("q") ?? ""), signal }),
    tools.has("kb_history") && versionsSection({ details, view }),
  );
}

/**
 * Links of a document: its path, its message or attachments, and its front matter.
 *
 * @param {Output} details
 */
function related({ source_path, source, parent_id, attachments, metadata }) {
  /** @type {[string, import("./dom.js").Child][]} */
  const rows = [];
  if (source_path) rows.push(["Path", webLink(source_path)]);
  if (source) rows.push(["Source", source]);
  if (parent_id !== undefined && parent_id !== null) {
    rows.push(["Attached to", h("a", { href: documentHref(parent_id) }, `Document ${parent_id}`)]);
  }
  for (const attachment of attachments ?? []) {
    rows.push(["Attachment", h("a", { href: documentHref(attachment.document_id) }, titleOf(attachment))]);
  }
  for (const [name, value] of Object.entries(metadata ?? {})) {
    rows.push([name, typeof value === "string" ? webLink(value) : JSON.stringify(value)]);
  }
  if (rows.length === 0) return null;
  return h(
    "dl",
    { class: "metadata" },
    ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/**
 * Headings of a long document, read when they are opened.
 *
 * @param {string} id
 * @param {AbortSignal} signal
 */
function contents(id, signal) {
  const body = h("div", {});
  let isRead = false;
  const read = async () => {
    isRead = true;
    try {
      const { outline = [], outline_cut, next_offset } = await call("kb_get", {
        document_id: id,
        outline: true,
      }, { signal });
      const list = h(
        "ul",
        { class: "contents" },
        ...outline.map((/** @type {Output} */ { heading, starts, index, page, level }) =>
          h(
            "li",
            { class: `level-${Math.min(Number(level) || 1, 4)}` },
            h(
              "a",
              { href: documentHref(id, { at: index }) },
              String(heading ?? starts ?? `Passage ${index}`),
            ),
            page !== undefined && ` page ${page}`,
          )
        ),
      );
      fill(
        body,
        list,
        (next_offset !== undefined || outline_cut) &&
          h("p", { class: "hint" }, "Not all headings are listed."),
      );
    } catch (error) {
      if (!isAbort(error)) fill(body, problem(error, read));
    }
  };
  return h("details", { ontoggle: () => isRead || void read() }, h("summary", {}, "Contents"), body);
}

/**
 * @param {Output} details
 * @param {import("./parts.js").View & { canEdit: boolean }} view
 */
function actions(details, view) {
  const { tools, canEdit } = view;
  const { document_id } = details;
  const status = h("div", {});
  return h(
    "div",
    { class: "document-actions" },
    h(
      "div",
      { class: "actions" },
      canEdit && h("a", { class: "button", href: documentHref(document_id, { edit: 1 }) }, "Edit"),
      tools.has("kb_set_collection") && moveForm(details, { view, status }),
      tools.has("kb_delete") && deleteButton(details, { view, status }),
    ),
    status,
  );
}

/**
 * @param {Output} details
 * @param {{ view: import("./parts.js").View, status: HTMLElement }} context
 */
function moveForm({ document_id, collection, version }, { view, status }) {
  const button = h("button", { type: "submit" }, "Move");
  const place = h("span", {});
  const form = h(
    "form",
    {
      class: "inline-form",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const target = form.querySelector("select")?.value ?? "";
        void run({ button, status, busy: "Moving …" }, async () => {
          // An empty string would be left out, and null takes it out of all collections.
          const output = await call("kb_set_collection", {
            document_id,
            collection: target === "" ? null : target,
            if_version: version,
          });
          rejectConflict(output);
          announce("Moved");
          view.reload();
        });
      },
    },
    place,
    button,
  );
  const show = (/** @type {readonly string[]} */ names) => {
    const options = names.map((name) => /** @type {const} */ ([name, name]));
    fill(place, field("Collection", select("collection", [...options, ["", "none"]], collection ?? "")));
  };
  show(collection ? [collection] : []);
  knownNames(view).then(({ collections }) => show(collections), () => {});
  return form;
}

/**
 * @param {Output} details
 * @param {{ view: import("./parts.js").View, status: HTMLElement }} context
 */
function deleteButton(details, { view, status }) {
  const { document_id, version } = details;
  const title = titleOf(details);
  const button = h("button", {
    type: "button",
    class: "danger",
    onclick: async () => {
      const isSure = await confirmDialog({
        title: "Move to the trash?",
        text:
          `“${title}” is no longer found. It can be restored for as long as the server keeps deleted documents.`,
        action: "Move to trash",
        isDangerous: true,
      });
      if (!isSure) return;
      await run({ button, status, busy: "Deleting …" }, async () => {
        const output = await call("kb_delete", { document_id, if_version: version });
        rejectConflict(output);
        showDeleted(title, output, view);
      });
    },
  }, "Move to trash");
  return button;
}

/**
 * @param {string} title
 * @param {Output} output
 * @param {import("./parts.js").View} view
 */
function showDeleted(title, { document_id, restorable_until }, { main, reload, tools }) {
  const status = h("div", {});
  const undo = h("button", {
    type: "button",
    onclick: () =>
      run({ button: undo, status, busy: "Restoring …" }, async () => {
        const { outcome, next } = await call("kb_restore", { document_id });
        if (outcome !== "restored") throw new CallError(next ?? "It could not be restored.");
        reload();
      }),
  }, "Undo");
  const moved = heading("Moved to the trash");
  fill(
    main,
    moved,
    h(
      "p",
      {},
      restorable_until
        ? `“${title}” can be restored until ${formatTime(restorable_until)}.`
        : `“${title}” is gone.`,
    ),
    status,
    h(
      "div",
      { class: "actions" },
      restorable_until && tools.has("kb_restore") && undo,
      h("a", { class: "button", href: href("documents") }, "All documents"),
    ),
  );
  moved.focus();
}
