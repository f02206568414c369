/** Documents: a list with filters, and counts by collection and type. */
import { announce, fill, h } from "./dom.js";
import { formatNumber, formatSize, formatTime, plural, titleOf, typeOf } from "./format.js";
import { call } from "./mcp.js";
import {
  collectionLabel,
  factsLine,
  field,
  filterArguments,
  filterFields,
  heading,
  isAbort,
  knownNames,
  pagedList,
  problem,
  select,
  valuesOf,
} from "./parts.js";
import { documentHref, href, navigate } from "./router.js";

/** @typedef {import("./mcp.js").Output} Output */

const SORTS = /** @type {const} */ ([
  ["", "Last changed"],
  ["created", "Last added"],
  ["title", "Title"],
  ["size", "Size"],
  ["used", "Last used"],
]);

const FILTERS = ["collection", "type", "since", "until", "path"];

/** @param {import("./parts.js").View} view */
export async function documentsView(view) {
  const { main, route: { query }, signal } = view;
  const names = await knownNames(view);
  const form = h(
    "form",
    {
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const target = href("documents", valuesOf(form));
        if (target === location.hash) view.reload();
        else navigate(target);
      },
    },
    h(
      "div",
      { class: "fields" },
      field(
        "Title",
        h("input", { type: "search", name: "title", value: query.get("title") ?? "", autocomplete: "off" }),
      ),
      field("Sort by", select("sort", SORTS, query.get("sort") ?? "")),
    ),
    h(
      "details",
      { class: "filters", open: FILTERS.some((name) => query.get(name)) },
      h("summary", {}, "Filters"),
      h(
        "div",
        { class: "fields" },
        ...filterFields(query, names),
        field(
          "Path starts with",
          h("input", { name: "path", value: query.get("path") ?? "", autocomplete: "off" }),
        ),
      ),
    ),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Show")),
  );
  const counts = h("div", { class: "counts" });
  const total = h("p", { class: "count" });
  const list = pagedList({
    list: h("ul", { class: "rows" }),
    label: "More documents",
    signal,
    async read(cursor) {
      const input = {
        ...filterArguments(query),
        title: query.get("title") ?? "",
        source_path: query.get("path") ?? "",
        sort: query.get("sort") ?? "",
      };
      const output = await call("kb_list", { ...input, cursor }, { signal });
      const documents = /** @type {Output[]} */ (output.documents ?? []);
      if (cursor === undefined) {
        total.textContent = plural(output.total ?? documents.length, "document");
        announce(total.textContent);
      }
      return { items: documents.map(row), next: output.next_cursor };
    },
  });
  fill(main, heading("Documents"), counts, form, total, list);
  try {
    const [collections, kinds] = await Promise.all(
      ["collection", "kind"].map(async (group) =>
        (await call("kb_list", { group_by: group }, { signal })).groups ?? []
      ),
    );
    fill(
      counts,
      countList("By collection", collections, (key) => key && href("documents", { collection: key })),
      countList("By type", kinds, (key) => key && href("documents", { type: key })),
    );
  } catch (error) {
    if (!isAbort(error)) fill(counts, problem(error, view.reload));
  }
}

/**
 * @param {string} label
 * @param {readonly Output[]} groups
 * @param {(key: string | null) => string | null} target
 */
function countList(label, groups, target) {
  if (groups.length === 0) return null;
  return h(
    "dl",
    { class: "inline" },
    h("dt", {}, label),
    ...groups.map(({ key, count }) => {
      const link = target(key);
      const text = `${key ?? "none"} `;
      const number = h("b", {}, formatNumber(count));
      return h(
        "dd",
        {},
        link
          ? h("a", { href: link, class: "chip" }, text, number)
          : h("span", { class: "chip" }, text, number),
      );
    }),
  );
}

/** @param {Output} document */
function row(document) {
  const { document_id, collection, doc_type, tags = [], source_path, size_bytes } = document;
  return h(
    "li",
    {},
    h("a", { href: documentHref(document_id) }, titleOf(document)),
    factsLine(
      collectionLabel(collection),
      typeOf(doc_type),
      formatTime(document["updated_at"] ?? document["created_at"]),
      formatSize(size_bytes),
      source_path,
      ...tags.map((/** @type {string} */ tag) => `#${tag}`),
    ),
  );
}
