/** Elements that views share. */
import { fill, h, uniqueId } from "./dom.js";
import { call, CallError, NoKeyError } from "./mcp.js";

/**
 * What a view gets.
 *
 * @typedef {object} View
 * @property {HTMLElement} main Empty; shows the view.
 * @property {import("./router.js").Route} route
 * @property {AbortSignal} signal Aborts when the view is left.
 * @property {ReadonlyMap<string, import("./mcp.js").Tool>} tools Those that the key may call.
 * @property {() => void} reload Shows the view again.
 */

/**
 * @param {string} text
 * @param {import("./dom.js").Child[]} more
 */
export function heading(text, ...more) {
  return h("h1", { tabindex: "-1" }, text, ...more);
}

/**
 * A form field with its label.
 *
 * @param {string} label
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  control.id ||= uniqueId("field");
  const hintId = `${control.id}-hint`;
  if (hint !== undefined) control.setAttribute("aria-describedby", hintId);
  return h(
    "div",
    { class: "field" },
    h("label", { for: control.id }, label),
    control,
    hint !== undefined && h("small", { id: hintId }, hint),
  );
}

/**
 * A list of values to select from.
 *
 * @param {string} name
 * @param {readonly (readonly [value: string, text: string])[]} options
 * @param {string} selected Added to the options if it is none of them.
 */
export function select(name, options, selected) {
  const isKnown = options.some(([value]) => value === selected);
  const all = isKnown || selected === ""
    ? options
    : [...options, /** @type {const} */ ([selected, selected])];
  const element = h("select", { name });
  for (const [value, text] of all) {
    element.append(h("option", { value, selected: value === selected }, text));
  }
  return element;
}

/**
 * Says what failed, with a button that tries again.
 *
 * @param {unknown} error
 * @param {(() => void) | undefined} [retry]
 */
export function problem(error, retry) {
  return h(
    "div",
    { class: "notice error", role: "alert" },
    h("p", {}, describeError(error)),
    retry && h(
      "button",
      { type: "button", onclick: retry },
      error instanceof NoKeyError ? "Enter the key" : "Try again",
    ),
  );
}

/** @param {unknown} error */
export function describeError(error) {
  if (error instanceof CallError || error instanceof NoKeyError) return error.message;
  reportError(error);
  return "Something went wrong in this page. Reload it to continue.";
}

/** @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * Runs an action of a button or form: disabled meanwhile, with its error next to it.
 *
 * @param {{ button: HTMLButtonElement, status: HTMLElement, busy?: string }} place
 * @param {() => Promise<void>} action
 */
export async function run({ button, status, busy }, action) {
  if (button.disabled) return;
  const label = button.textContent ?? "";
  button.disabled = true;
  if (busy !== undefined) button.textContent = busy;
  fill(status);
  try {
    await action();
  } catch (error) {
    if (!isAbort(error)) fill(status, problem(error));
  } finally {
    button.disabled = false;
    if (busy !== undefined) button.textContent = label;
  }
}

/**
 * A list that is read in pages: `read` returns the items of one, and the cursor of the next.
 *
 * @param {object} options
 * @param {HTMLElement} options.list
 * @param {string} options.label Of the button that reads more.
 * @param {AbortSignal} options.signal
 * @param {(cursor: string | undefined) => Promise<{ items: readonly HTMLElement[], next: string | undefined }>}
 *   options.read
 */
export function pagedList({ list, label, signal, read }) {
  const foot = h("div", { class: "more" });
  const container = h("div", {}, list, foot);
  /** @param {string | undefined} cursor */
  const load = async (cursor) => {
    fill(foot, h("p", { class: "loading" }, "Loading …"));
    container.setAttribute("aria-busy", "true");
    try {
      const { items, next } = await read(cursor);
      signal.throwIfAborted();
      list.append(...items);
      fill(
        foot,
        next !== undefined && h("button", { type: "button", onclick: () => load(next) }, label),
      );
      // The button that had the focus is gone.
      if (cursor !== undefined) items[0]?.querySelector("a")?.focus();
    } catch (error) {
      if (signal.aborted) return;
      fill(foot, problem(error, () => load(cursor)));
    } finally {
      container.removeAttribute("aria-busy");
    }
  };
  void load(undefined);
  return container;
}

/**
 * Names of collections and kinds of documents, for the filters. Empty without `kb_status`.
 *
 * @typedef {{ collections: readonly string[], types: readonly string[] }} Names
 */

/** How long names are used again, in milliseconds: in a large store, a status takes longer than a search. */
const NAMES_TTL_MS = 15_000;
/** @type {{ at: number, names: Promise<Names> } | undefined} */
let lastNames;

/**
 * @param {Pick<View, "tools">} view
 * @returns {Promise<Names>}
 */
export async function knownNames({ tools }) {
  if (!tools.has("kb_status")) return DEFAULT_NAMES;
  if (lastNames === undefined || performance.now() - lastNames.at > NAMES_TTL_MS) {
    lastNames = { at: performance.now(), names: readNames() };
  }
  try {
    return await lastNames.names;
  } catch (error) {
    lastNames = undefined;
    if (error instanceof CallError) return DEFAULT_NAMES;
    throw error;
  }
}

/** @type {Names} */
const DEFAULT_NAMES = { collections: ["documents", "memory", "workspace"], types: [] };

/** @returns {Promise<Names>} */
async function readNames() {
  const { engine, server } = await call("kb_status", {});
  const { by_collection = {}, by_type = {} } = engine?.documents ?? {};
  const collections = new Set([...(server?.collections ?? []), ...Object.keys(by_collection)]);
  return { collections: [...collections], types: Object.keys(by_type).sort() };
}

/**
 * The filters that searches and lists share.
 *
 * @param {URLSearchParams} query
 * @param {Names} names
 */
export function filterFields(query, { collections, types }) {
  const value = (/** @type {string} */ name) => query.get(name) ?? "";
  /** @type {(name: string) => readonly [string, string]} */
  const same = (name) => [name, name];
  return [
    field(
      "Collection",
      select("collection", [["", "All"], ...collections.map(same)], value("collection")),
    ),
    field("Type", select("type", [["", "All"], ...types.map(same)], value("type"))),
    field("Changed since", h("input", { type: "date", name: "since", value: value("since") })),
    field("Until", h("input", { type: "date", name: "until", value: value("until") })),
  ];
}

/**
 * The arguments of a tool for these filters.
 *
 * @param {URLSearchParams} query
 */
export function filterArguments(query) {
  return {
    collection: query.get("collection") ?? "",
    doc_type: query.get("type") ?? "",
    since: query.get("since") ?? "",
    until: query.get("until") ?? "",
  };
}

/**
 * Returns the values of a form by name.
 *
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}

/**
 * Facts about a document in one line.
 *
 * @param {import("./dom.js").Child[]} facts
 */
export function factsLine(...facts) {
  const given = facts.filter((fact) => fact !== "" && fact !== null && fact !== undefined && fact !== false);
  return h("p", { class: "facts" }, ...given.map((fact) => h("span", {}, fact)));
}

/** @param {string | null | undefined} name */
export function collectionLabel(name) {
  return name ? h("span", { class: "chip" }, name) : null;
}
