/**
 * The files of the page, as text: `deno run`, the bundle and executables contain them without a build step.
 * Loaded with the first request for the page.
 *
 * @module
 */
import html from "./client/index.html" with { type: "text" };
import style from "./client/style.css" with { type: "text" };
import icon from "./client/icon.svg" with { type: "text" };
import addScript from "./client/add.js" with { type: "text" };
import conflictScript from "./client/conflict.js" with { type: "text" };
import dialogScript from "./client/dialog.js" with { type: "text" };
import documentScript from "./client/document.js" with { type: "text" };
import documentsScript from "./client/documents.js" with { type: "text" };
import domScript from "./client/dom.js" with { type: "text" };
import editScript from "./client/edit.js" with { type: "text" };
import formatScript from "./client/format.js" with { type: "text" };
import highlightScript from "./client/highlight.js" with { type: "text" };
import mainScript from "./client/main.js" with { type: "text" };
import mcpScript from "./client/mcp.js" with { type: "text" };
import partsScript from "./client/parts.js" with { type: "text" };
import routerScript from "./client/router.js" with { type: "text" };
import searchScript from "./client/search.js" with { type: "text" };
import sessionScript from "./client/session.js" with { type: "text" };
import sourcesScript from "./client/sources.js" with { type: "text" };
import statusScript from "./client/status.js" with { type: "text" };
import textScript from "./client/text.js" with { type: "text" };
import trashScript from "./client/trash.js" with { type: "text" };
import uploadScript from "./client/upload.js" with { type: "text" };
import versionsScript from "./client/versions.js" with { type: "text" };

/** The document of the page. */
export const INDEX: string = html;

/** The files that it loads, by name. */
export const FILES: ReadonlyMap<string, string> = new Map([
  ["style.css", style],
  ["icon.svg", icon],
  ["add.js", addScript],
  ["conflict.js", conflictScript],
  ["dialog.js", dialogScript],
  ["document.js", documentScript],
  ["documents.js", documentsScript],
  ["dom.js", domScript],
  ["edit.js", editScript],
  ["format.js", formatScript],
  ["highlight.js", highlightScript],
  ["main.js", mainScript],
  ["mcp.js", mcpScript],
  ["parts.js", partsScript],
  ["router.js", routerScript],
  ["search.js", searchScript],
  ["session.js", sessionScript],
  ["sources.js", sourcesScript],
  ["status.js", statusScript],
  ["text.js", textScript],
  ["trash.js", trashScript],
  ["upload.js", uploadScript],
  ["versions.js", versionsScript],
]);
