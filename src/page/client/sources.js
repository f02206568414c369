/** Sources: the folders and websites that the knowledge base follows. */
import { fill, h } from "./dom.js";
import { plural } from "./format.js";
import { call } from "./mcp.js";
import { factsLine, isAbort, problem, run } from "./parts.js";
import { href } from "./router.js";

/** @typedef {import("./mcp.js").Output} Output */

/** How long a synchronization is waited for, in seconds. */
const WAIT_SECONDS = 30;

/** @param {import("./parts.js").View} view */
export function sourcesSection({ signal, tools }) {
  const list = h("ul", { class: "rows" });
  const status = h("div", {});
  const canSync = tools.has("kb_reindex");
  const read = async () => {
    fill(status);
    try {
      const { sources = [] } = await call("kb_sections", {}, { signal });
      fill(list, ...sources.map((/** @type {Output} */ source) => row(source, canSync)));
      if (sources.length === 0) fill(status, h("p", { class: "hint" }, "No sources."));
    } catch (error) {
      if (!isAbort(error)) fill(status, problem(error, read));
    }
  };
  void read();
  return h(
    "section",
    { "aria-labelledby": "sources-title" },
    h("h2", { id: "sources-title" }, "Sources"),
    status,
    list,
  );
}

/**
 * @param {Output} source
 * @param {boolean} canSync
 */
function row({ name, type, description, documents, sections = [], state, writable }, canSync) {
  const message = h("div", {});
  const facts = h("div", {});
  const show = (/** @type {Output} */ current) =>
    fill(
      facts,
      factsLine(plural(current["documents"], "document"), type, writable && "writable", current["state"]),
    );
  show({ documents, state });
  const item = h(
    "li",
    {},
    h("a", { href: href("documents", { path: `${name}/` }) }, name),
    facts,
    description && h("p", { class: "hint" }, description),
    sections.length > 0 && h(
      "p",
      { class: "inline" },
      ...sections.map((/** @type {Output} */ section) =>
        h(
          "a",
          { class: "chip", href: href("documents", { path: `${name}/${section["name"]}/` }) },
          `${section["name"]} `,
          h("b", {}, section["documents"]),
        )
      ),
    ),
    message,
  );
  if (!canSync) return item;
  const button = h("button", {
    type: "button",
    "aria-label": `Synchronize ${name}`,
    onclick: () =>
      run({ button, status: message, busy: "Synchronizing …" }, async () => {
        const { sources = [] } = await call("kb_reindex", { source: name, wait: WAIT_SECONDS });
        const [synchronized = {}] = sources;
        show({ documents, ...synchronized });
        const failures = synchronized.failures ?? [];
        const text = synchronized.error ??
          (failures.length > 0 && `${plural(failures.length, "file")} failed.`);
        if (text) fill(message, h("p", { class: "notice error", role: "alert" }, String(text)));
      }),
  }, "Synchronize");
  item.append(button);
  return item;
}
