/** Trash: deleted documents that can be restored. */
import { announce, fill, h } from "./dom.js";
import { formatTime, plural, titleOf, typeOf } from "./format.js";
import { call, CallError } from "./mcp.js";
import { collectionLabel, factsLine, heading, pagedList, run } from "./parts.js";
import { documentHref } from "./router.js";

/** @typedef {import("./mcp.js").Output} Output */

/** @param {import("./parts.js").View} view */
export function trashView({ main, signal, tools }) {
  const total = h("p", { class: "count" });
  const canRestore = tools.has("kb_restore");
  const list = pagedList({
    list: h("ul", { class: "rows" }),
    label: "More documents",
    signal,
    async read(cursor) {
      const output = await call("kb_history", { cursor }, { signal });
      const deleted = /** @type {Output[]} */ (output.deleted ?? []);
      if (cursor === undefined) {
        const count = output.total ?? deleted.length;
        total.textContent = count === 0 ? "The trash is empty." : plural(count, "deleted document");
        announce(total.textContent);
      }
      return { items: deleted.map((each) => row(each, canRestore)), next: output.next_cursor ?? undefined };
    },
  });
  fill(main, heading("Trash"), total, list);
}

/**
 * @param {Output} document
 * @param {boolean} canRestore
 */
function row(document, canRestore) {
  const { document_id, doc_type, collection, deleted_at, deleted_by, restorable_until } = document;
  const status = h("div", {});
  const title = titleOf(document);
  const item = h(
    "li",
    {},
    h("b", {}, title),
    factsLine(
      collectionLabel(collection),
      typeOf(doc_type),
      `deleted ${formatTime(deleted_at)}${deleted_by ? ` by ${deleted_by}` : ""}`,
      restorable_until && `restorable until ${formatTime(restorable_until)}`,
    ),
    status,
  );
  if (!canRestore) return item;
  const button = h("button", {
    type: "button",
    "aria-label": `Restore ${title}`,
    onclick: () =>
      run({ button, status, busy: "Restoring …" }, async () => {
        const { outcome, next } = await call("kb_restore", { document_id });
        if (outcome !== "restored") throw new CallError(next ?? "Another document has its path by now.");
        const link = h("a", { href: documentHref(document_id) }, title);
        fill(item, h("p", { class: "notice ok" }, "Restored: ", link));
        link.focus();
        announce(`Restored ${title}`);
      }),
  }, "Restore");
  item.append(button);
  return item;
}
