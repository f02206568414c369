/** Search: a query with filters, and its results. */
import { announce, fill, h, uniqueId } from "./dom.js";
import { describeMode, formatTime, plural, titleOf, typeOf } from "./format.js";
import { highlight, queryTerms } from "./highlight.js";
import { call } from "./mcp.js";
import {
  collectionLabel,
  factsLine,
  filterArguments,
  filterFields,
  heading,
  knownNames,
  pagedList,
  valuesOf,
} from "./parts.js";
import { documentHref, href, navigate } from "./router.js";

/** @typedef {import("./mcp.js").Output} Output */

/** @param {import("./parts.js").View} view */
export async function searchView(view) {
  const { main, route, signal } = view;
  const q = route.query.get("q") ?? "";
  const names = await knownNames(view);
  const input = h("input", {
    type: "search",
    name: "q",
    value: q,
    id: uniqueId("query"),
    autocomplete: "off",
  });
  const hasFilters = ["collection", "type", "since", "until"].some((name) => route.query.get(name));
  const form = h(
    "form",
    {
      role: "search",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const target = href("search", valuesOf(form));
        if (target === location.hash) view.reload();
        else navigate(target);
      },
    },
    h(
      "div",
      { class: "query" },
      h("label", { for: input.id, class: "sr-only" }, "Search for"),
      input,
      h("button", { type: "submit", class: "primary" }, "Search"),
    ),
    h(
      "details",
      { class: "filters", open: hasFilters },
      h("summary", {}, "Filters"),
      h("div", { class: "fields" }, ...filterFields(route.query, names)),
    ),
  );
  fill(main, heading("Search"), form);
  if (q === "" && !hasFilters) {
    main.append(
      h("p", { class: "hint" }, 'Ask a question or enter words. Operators: "exact phrase" and -excluded.'),
    );
    input.focus();
    return;
  }
  main.append(results(q, { query: route.query, signal }));
}

/**
 * @param {string} q
 * @param {{ query: URLSearchParams, signal: AbortSignal }} context
 */
function results(q, { query, signal }) {
  const summary = h("div", { class: "summary" });
  /** @type {Map<unknown, Output>} Of several results of a document only the first one has its fields. */
  const documents = new Map();
  const list = h("ol", { class: "results" });
  const paged = pagedList({
    list,
    label: "More results",
    signal,
    async read(cursor) {
      const input = { query: q, ...filterArguments(query), detail: "snippet", cursor };
      // An empty query lists the documents that the filters allow.
      const output = await call("kb_search", q === "" ? { ...input, query: "*" } : input, { signal });
      const corrections = /** @type {Output[]} */ (output.corrections ?? []);
      const terms = queryTerms(q, corrections.map(({ used }) => String(used)));
      const items =
        /** @type {Output[]} */ (output.results.length > 0 ? output.results : output.documents ?? []);
      if (cursor === undefined) {
        fill(summary, ...describeResults(output, items.length));
        announce(summary.firstElementChild?.textContent ?? "");
      }
      return { items: items.map((item) => result(item, { q, terms, documents })), next: output.next_cursor };
    },
  });
  return h("section", { "aria-label": "Results" }, summary, paged);
}

/**
 * @param {Output} output
 * @param {number} count
 */
function describeResults(
  { total, mode, warning, hint, corrections = [], weak_omitted, vectors, cut },
  count,
) {
  const found = count === 0 ? "No results" : plural(total ?? count, "result");
  const notes = [
    warning,
    hint,
    .../** @type {Output[]} */ (corrections).map(({ word, used }) =>
      `Searched for “${used}” instead of “${word}”.`
    ),
    weak_omitted && `${plural(weak_omitted, "weak result")} left out.`,
    vectors && `${vectors.embedded} of ${vectors.total} passages can be found by meaning so far.`,
    cut && "Long results were shortened.",
  ];
  return [
    h("p", { class: "count" }, mode === undefined ? found : `${found}, ${describeMode(mode)}`),
    ...notes.filter(Boolean).map((text) => h("p", { class: "notice" }, String(text))),
  ];
}

/**
 * @param {Output} item
 * @param {{ q: string, terms: readonly string[], documents: Map<unknown, Output> }} context
 */
function result(item, { q, terms, documents }) {
  const { document_id, index = 0, collection, text = "", score, heading_path = [], page_start, line_start } =
    item;
  const first = documents.get(document_id) ?? item;
  documents.set(document_id, first);
  const place = [
    ...heading_path.slice(-2),
    page_start === undefined ? "" : `page ${page_start}`,
    line_start === undefined ? "" : `line ${line_start}`,
  ].filter((part) => part !== "").join(" › ");
  const isPassage = item.chunk_id !== undefined;
  const target = documentHref(document_id, isPassage ? { at: index, q } : {});
  return h(
    "li",
    {},
    h("h2", {}, h("a", { href: target }, ...highlight(titleOf(first), terms))),
    factsLine(
      collectionLabel(collection),
      typeOf(first["doc_type"]),
      place,
      formatTime(first["updated_at"] ?? first["created_at"]),
      isPassage && h("span", { title: "Compares with the other results of this search" }, `score ${score}`),
    ),
    h("p", { class: "passage" }, ...highlight(text, terms)),
  );
}
