/**
 * The state of the page in the fragment of its address: `#/search?q=router`, `#/document/12?at=3`. It contains neither
 * keys nor unsaved text, so that it can be shared.
 */
import { confirmDialog } from "./dialog.js";

/**
 * @typedef {object} Route
 * @property {string} view
 * @property {string} id Second segment of the path, or "".
 * @property {URLSearchParams} query
 */

/** @type {() => boolean} Whether the view has changes that are not saved. */
let isDirty = () => false;
/** The fragment that is shown. */
let shown = "";

/** @returns {Route} */
export function currentRoute() {
  const [, path = "", query = ""] = /^#\/?([^?]*)\??(.*)$/s.exec(location.hash) ?? [];
  const [view = "", id = ""] = path.split("/");
  return { view: view || "search", id: decode(id), query: new URLSearchParams(query) };
}

/**
 * Returns a link target: the fragment of a view, without empty parameters.
 *
 * @param {string} path
 * @param {Record<string, string | number | undefined>} [query]
 */
export function href(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path}${text && `?${text}`}`;
}

/**
 * Returns the link target of a document.
 *
 * @param {string | number} id
 * @param {Record<string, string | number | undefined>} [query]
 */
export function documentHref(id, query) {
  return href(`document/${encodeURIComponent(id)}`, query);
}

/** @param {string} target */
export function navigate(target) {
  location.hash = target;
}

/**
 * Replaces the fragment without an entry in the history of the browser and without showing the view again.
 *
 * @param {string} target
 */
export function replaceRoute(target) {
  history.replaceState(null, "", target);
  shown = location.hash;
}

/** @param {() => boolean} check Asked before the view is left. */
export function guardChanges(check) {
  isDirty = check;
}

/**
 * Shows each route that the address names from now on.
 *
 * @param {(isFirst: boolean) => void} show
 */
export function startRouter(show) {
  shown = location.hash;
  addEventListener("hashchange", async () => {
    const target = location.hash;
    if (target === shown) return;
    if (target === "#main") return history.replaceState(null, "", shown || "#/search");
    if (isDirty()) {
      // The address changed already: it is set back until the answer is known.
      history.pushState(null, "", shown);
      const leave = await confirmDialog({
        title: "Leave without saving?",
        text: "Your changes are not saved.",
        action: "Leave",
        cancel: "Keep editing",
      });
      if (!leave) return;
      isDirty = () => false;
      location.hash = target;
      return;
    }
    shown = target;
    show(false);
  });
  addEventListener("beforeunload", (event) => {
    if (isDirty()) event.preventDefault();
  });
  show(true);
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
