/** Status: health, engine, queue, recent jobs and sources. */
import { fill, h } from "./dom.js";
import { formatNumber, formatSize, formatTime } from "./format.js";
import { call } from "./mcp.js";
import { sourcesSection } from "./sources.js";
import { factsLine, field, heading, isAbort, pagedList, problem, run, select } from "./parts.js";
import { documentHref, href, navigate } from "./router.js";

/** @typedef {import("./mcp.js").Output} Output */

const JOB_STATES = /** @type {const} */ ([
  ["", "All"],
  ["queued", "Queued"],
  ["processing", "Processing"],
  ["done", "Done"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
]);

/** @param {import("./parts.js").View} view */
export async function statusView(view) {
  const { main, signal, tools } = view;
  const health = h("p", { class: "health" }, "Checking …");
  const facts = h("div", { class: "cards" });
  fill(
    main,
    heading("Status"),
    h("div", { class: "line" }, health, h("button", { type: "button", onclick: view.reload }, "Refresh")),
    facts,
    tools.has("kb_sections") && sourcesSection(view),
    tools.has("kb_jobs") && jobs(view),
  );
  void readHealth(signal).then((state) => {
    fill(health, h("span", { class: state === "ready" ? "dot ok" : "dot bad" }), `Server: ${state}`);
  }, () => {});
  if (!tools.has("kb_status")) return;
  try {
    fill(facts, ...cards(await call("kb_status", {}, { signal })));
  } catch (error) {
    if (!isAbort(error)) fill(facts, problem(error, view.reload));
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function readHealth(signal) {
  try {
    const response = await fetch("readyz", { signal, credentials: "omit", cache: "no-store" });
    const { status } = await response.json();
    return String(status).replaceAll("_", " ");
  } catch (error) {
    if (isAbort(error)) throw error;
    return "not reachable";
  }
}

/**
 * @param {Output} status
 * @returns {HTMLElement[]}
 */
function cards({ engine = {}, server = {} }) {
  const { documents, queue, storage, vectors, trash, sources, extraction } = engine;
  const model = engine.model === null ? "none: searches by words only" : nameOf(engine.model);
  return [
    card("Documents", {
      "Total": documents?.total,
      "Passages": engine.chunks,
      "Tags": engine.tags,
      "In the trash": trash?.documents,
      "Sources": sources?.total,
    }),
    card("Search", {
      "Embedding model": model,
      "Device": engine.device,
      "Passages with a vector": vectors &&
        `${formatNumber(vectors.embedded)} of ${formatNumber(vectors.total)}`,
      "Problem of the model": vectors?.error,
    }),
    card("Queue", {
      "Queued": queue?.queued,
      "Processing": queue?.processing,
      "Done": queue?.done,
      "Failed": queue?.failed,
      "Capacity": queue?.limit,
    }),
    card("Storage", {
      "State": String(storage?.state ?? "").replaceAll("_", " "),
      "Database": formatSize(storage?.database_bytes),
      "Files that wait": formatSize(storage?.spool_bytes),
      "OCR languages": extraction?.ocr_languages?.join(", ") || undefined,
    }),
    card("Server", {
      "Version": server.version,
      "Engine": server.engine,
      "Contract of the engine": engine.version,
      "Up since": server.uptime_seconds === undefined
        ? undefined
        : formatTime(new Date(Date.now() - server.uptime_seconds * 1000).toISOString()),
      "Unfinished uploads": server.uploads_in_progress,
    }),
  ];
}

/** @param {unknown} model */
function nameOf(model) {
  if (typeof model === "object" && model !== null && "name" in model) return String(model.name);
  return typeof model === "string" ? model : JSON.stringify(model);
}

/**
 * @param {string} title
 * @param {Readonly<Record<string, unknown>>} facts Those that are undefined, null or "" are left out.
 */
function card(title, facts) {
  const given = Object.entries(facts).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  return h(
    "section",
    { class: "card" },
    h("h2", {}, title),
    h(
      "dl",
      {},
      ...given.flatMap(([name, value]) => [
        h("dt", {}, name),
        h("dd", {}, typeof value === "number" ? formatNumber(value) : String(value)),
      ]),
    ),
  );
}

/** @param {import("./parts.js").View} view */
function jobs(view) {
  const { signal, route, tools } = view;
  const state = route.query.get("jobs") ?? "";
  const canAct = tools.get("kb_jobs")?.inputSchema?.properties?.["action"] !== undefined;
  const filter = select("jobs", JOB_STATES, state);
  filter.addEventListener("change", () => navigate(href("status", { jobs: filter.value })));
  const empty = h("p", { class: "hint", hidden: true }, "No jobs.");
  const list = pagedList({
    list: h("ul", { class: "rows" }),
    label: "More jobs",
    signal,
    async read(cursor) {
      const output = await call("kb_jobs", { status: state, limit: 20, cursor }, { signal });
      const found = /** @type {Output[]} */ (output.jobs ?? []);
      if (cursor === undefined) empty.hidden = found.length > 0;
      return { items: found.map((job) => row(job, canAct)), next: output.next_cursor };
    },
  });
  return h(
    "section",
    { "aria-labelledby": "jobs-title" },
    h("div", { class: "line" }, h("h2", { id: "jobs-title" }, "Recent jobs"), field("Jobs", filter)),
    empty,
    list,
  );
}

/**
 * @param {Output} job
 * @param {boolean} canAct
 * @returns {HTMLElement}
 */
function row(job, canAct) {
  const { job_id, status, outcome, title, filename, document_id, created_at, error, error_code, warning } =
    job;
  const name = title || filename || job["source_path"] || `Job ${job_id}`;
  const action = status === "failed" || status === "cancelled"
    ? "retry"
    : status === "queued" || status === "processing"
    ? "cancel"
    : undefined;
  const message = h("div", {});
  const item = h(
    "li",
    {},
    document_id === undefined || document_id === null
      ? h("b", {}, name)
      : h("a", { href: documentHref(document_id) }, name),
    factsLine(
      h("span", { class: `chip ${status}` }, status),
      outcome,
      formatTime(created_at),
      progressOf(job),
    ),
    error && h("p", { class: "notice error" }, error_code ? `${error} (${error_code})` : error),
    warning && h("p", { class: "notice" }, warning),
    message,
  );
  if (!canAct || action === undefined) return item;
  const button = h("button", {
    type: "button",
    "aria-label": `${action === "retry" ? "Retry" : "Cancel"} ${name}`,
    onclick: () =>
      run({ button, status: message }, async () => {
        const [changed] = (await call("kb_jobs", { job_id, action })).jobs ?? [];
        item.replaceWith(row({ ...job, ...changed }, canAct));
      }),
  }, action === "retry" ? "Retry" : "Cancel");
  item.append(button);
  return item;
}

/** @param {Output} job */
export function progressOf({ status, stage, work, progress }) {
  if (status !== "processing") return "";
  if (work) return `${stage}: ${work.done}${work.total ? ` of ${work.total}` : ""} ${work.unit}`;
  return typeof progress === "number" ? `${stage ?? status} ${Math.round(progress * 100)} %` : stage ?? "";
}
