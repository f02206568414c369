/** Entry of the page: the navigation, and the view that the address names. */
import { addView } from "./add.js";
import { keyDialog } from "./dialog.js";
import { documentView } from "./document.js";
import { documentsView } from "./documents.js";
import { fill, h } from "./dom.js";
import { listTools, onKeyNeeded } from "./mcp.js";
import { heading, problem } from "./parts.js";
import { currentRoute, guardChanges, href, startRouter } from "./router.js";
import { searchView } from "./search.js";
import { forgetKey, key } from "./session.js";
import { statusView } from "./status.js";
import { trashView } from "./trash.js";

/**
 * @typedef {object} ViewEntry
 * @property {string} title
 * @property {readonly string[]} needs Tools, of which the key must allow one.
 * @property {(view: import("./parts.js").View) => Promise<void> | void} show
 * @property {boolean} [isHidden] Whether the navigation leaves it out.
 */

/** @type {Readonly<Record<string, ViewEntry>>} */
const VIEWS = {
  search: { title: "Search", needs: ["kb_search"], show: searchView },
  documents: { title: "Documents", needs: ["kb_list"], show: documentsView },
  document: { title: "Document", needs: ["kb_get"], show: documentView, isHidden: true },
  add: { title: "Add", needs: ["kb_addnote", "kb_upload_start"], show: addView },
  trash: { title: "Trash", needs: ["kb_history"], show: trashView },
  status: { title: "Status", needs: ["kb_status", "kb_jobs"], show: statusView },
};

const main = byId("main");
const nav = byId("nav");
const signOut = byId("sign-out");
/** @type {Map<string, import("./mcp.js").Tool> | undefined} */
let tools;
let leaving = new AbortController();

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}`);
  return element;
}

/** @param {ViewEntry} entry */
function isAllowed({ needs }) {
  return tools === undefined || needs.some((name) => tools?.has(name));
}

function showNavigation() {
  const { view } = currentRoute();
  const entries = Object.entries(VIEWS).filter(([, entry]) => !entry.isHidden && isAllowed(entry));
  fill(
    nav,
    ...entries.map(([name, { title }]) =>
      h("a", { href: href(name), "aria-current": name === view ? "page" : undefined }, title)
    ),
  );
  signOut.hidden = key() === undefined;
}

/** @param {boolean} isFirst */
async function show(isFirst) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  guardChanges(() => false);
  const route = currentRoute();
  const entry = Object.hasOwn(VIEWS, route.view) ? VIEWS[route.view] : undefined;
  document.title = `${entry?.title ?? "Not found"} · Knowledge base`;
  fill(main, heading(entry?.title ?? "Not found"), h("p", { class: "loading" }, "Loading …"));
  showNavigation();
  const focus = () => {
    // The first view leaves the focus where the browser has it.
    if (!isFirst && !main.contains(document.activeElement)) main.querySelector("h1")?.focus();
  };
  try {
    tools ??= await listTools();
    if (signal.aborted) return;
    showNavigation();
    if (entry === undefined || !isAllowed(entry)) {
      const text = entry === undefined ? "This page has no such view." : "The key does not allow this.";
      fill(main, heading(entry?.title ?? "Not found"), h("p", { class: "notice" }, text));
    } else {
      await entry.show({ main, route, signal, tools, reload: () => void show(false) });
    }
    if (!signal.aborted) focus();
  } catch (error) {
    if (signal.aborted) return;
    fill(main, heading(entry?.title ?? "Not found"), problem(error, () => void show(false)));
    focus();
  }
}

onKeyNeeded(async (reason) => {
  await keyDialog(reason);
  showNavigation();
  // Another key may allow other tools; the view stays, with what was typed into it.
  if (tools === undefined) return;
  setTimeout(() => {
    listTools().then((allowed) => {
      tools = allowed;
      showNavigation();
    }, () => {});
  });
});

signOut.addEventListener("click", () => {
  forgetKey();
  // Nothing that the key has shown stays in the page. The browser asks first if there are unsaved changes.
  location.reload();
});

startRouter((isFirst) => void show(isFirst));
