import {
  briefOf,
  documentsToExport,
  emptySection,
  exportDocument,
  exportHeader,
  readVault,
  sectionPrefix,
} from "../../source_tools/mod.ts";
import { oneLine } from "../../text/mod.ts";
import {
  checkHealth,
  digestOf,
  type Finding,
  HEALTH_CHECKS,
  type HealthCheck,
  type HealthReport,
} from "../../vault/mod.ts";
import { counted } from "../format.ts";
import { ExitError } from "../exit_status.ts";
import type { ClientContext } from "./client_context.ts";
import { requireSource } from "./find_source.ts";
import { findDocument } from "./get.ts";
import { table } from "./table.ts";

/** Number of items of a list that a digest shows on a terminal. */
const SHOWN = 10;

/** Implements `kb-mcp sections`. */
export async function sections(name: string | undefined, context: ClientContext): Promise<void> {
  const { client: engine, output, signal } = context;
  const sources = name === undefined
    ? await engine.sources({ signal })
    : [await requireSource(name, context)];
  const rows = sources.flatMap((source) =>
    source.sections.map((section) => ({ source: source.name, ...section }))
  );
  if (output.isJson) return output.json({ sections: rows });
  if (rows.length === 0) return output.lines("No sections.");
  output.lines(...table(rows, [
    { head: "SOURCE", value: ({ source }) => source },
    { head: "SECTION", value: ({ name }) => name === "" ? "(top)" : name, minWidth: 15 },
    { head: "DOCUMENTS", value: ({ documents }) => documents, align: "right" },
    { head: "DESCRIPTION", value: ({ description }) => description, minWidth: 20 },
  ], output));
}

/** Implements `kb-mcp context`: front matter and summary of a document. */
export async function context(name: string, clientContext: ClientContext): Promise<void> {
  const { client: engine, output, signal } = clientContext;
  const { summary, metadata, ...brief } = await briefOf(await findDocument(name, clientContext), {
    engine,
    signal,
  });
  if (output.isJson) return output.json({ ...brief, ...(metadata ? { metadata } : {}), summary });
  const own = Object.entries(metadata ?? {}).filter(([name, value]) => !repeats(value, brief[name]));
  const fields = [...Object.entries(brief), ...own];
  for (const [label, value] of fields) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    output.lines(`${output.colors.dim(`${oneLine(label)}:`)} ${oneLine(text)}`);
  }
  if (summary !== undefined) output.text(`\n${summary}`);
}

/** Whether a field of front matter says only what the field of the document with its name does, such as its tags. */
function repeats(value: unknown, shown: unknown): boolean {
  const all = [shown].flat();
  return shown !== undefined && [value].flat().every((item) => all.includes(item));
}

/** Implements `kb-mcp digest`. */
export async function digest(name: string | undefined, context: ClientContext): Promise<void> {
  const { client: engine, output, signal } = context;
  const source = await requireSource(name, context);
  const { note, ...vault } = await readVault(source, { engine, signal });
  const { documents, sections, topics, recent, gaps } = digestOf(vault, { today: today(context) });
  if (note !== undefined) output.error(note);
  if (output.isJson) return output.json({ source: source.name, documents, sections, topics, recent, gaps });
  const { bold } = output.colors;
  const list = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    const more = lines.length > SHOWN ? [`  … ${lines.length - SHOWN} more`] : [];
    output.lines("", bold(title), ...lines.slice(0, SHOWN).map((line) => `  ${oneLine(line)}`), ...more);
  };
  output.lines(`${bold(source.name)}: ${counted(documents, "document")}`);
  list(
    "Sections",
    sections.map(({ name, documents, updated, topics }) =>
      [`${name || "(top)"} ${documents}`, updated, topics.join(", ")].filter(Boolean).join(" · ")
    ),
  );
  list("Topics", topics.map(({ tag, documents }) => `${tag} ${documents}`));
  list("Recent", recent.map(({ day, path }) => `${day} ${path}`));
  list("Missing pages", gaps.missing_pages.map(({ name, links }) => `${name} · ${counted(links, "link")}`));
  list("Small sections", gaps.small_sections);
  list("Sections without recent changes", gaps.quiet_sections);
  list("Tags used once", gaps.tags_used_once);
  list("Findings (kb-mcp health)", Object.entries(gaps.findings).map(([check, n]) => `${label(check)} ${n}`));
}

/** Options of `kb-mcp health`, as the parser returns them. */
export interface HealthFlags {
  readonly section?: string;
  readonly check?: readonly HealthCheck[];
  readonly staleDays?: number;
}

/** Implements `kb-mcp health`. */
export async function health(
  name: string | undefined,
  { section, check = HEALTH_CHECKS, staleDays }: HealthFlags,
  context: ClientContext,
): Promise<void> {
  const { client: engine, output, signal } = context;
  const source = await requireSource(name, context);
  const { note, ...vault } = await readVault(source, { engine, signal });
  const prefix = sectionPrefix(section, source);
  const report = checkHealth(vault, { today: today(context), staleDays, prefix });
  const found = check.filter((each) => report[each].length > 0);
  const isEmpty = !vault.documents.some(({ path }) => path.startsWith(prefix));
  if (prefix !== "" && isEmpty && found.length === 0) {
    throw new ExitError(1, emptySection(prefix, source));
  }
  if (note !== undefined) output.error(note);
  if (output.isJson) {
    return output.json({
      source: source.name,
      ...Object.fromEntries(check.map((each) => [each, report[each]])),
    });
  }
  for (const each of found) {
    output.lines(
      output.colors.bold(`${label(each)} (${report[each].length})`),
      ...findingLines(report, each),
      "",
    );
  }
  if (found.length === 0) output.lines("No findings.");
}

/** Implements `kb-mcp concat`: a source as one Markdown document; as JSON with `--json` only, also into a pipe. */
export async function concat(
  name: string | undefined,
  { section, json = false }: { readonly section?: string; readonly json?: boolean },
  context: ClientContext,
): Promise<void> {
  const { client: engine, output, signal } = context;
  const source = await requireSource(name, context);
  const prefix = sectionPrefix(section, source);
  const documents = await documentsToExport(source, { prefix }, { engine, signal });
  if (prefix !== "" && documents.length === 0) throw new ExitError(1, emptySection(prefix, source));
  const parts: string[] = [];
  const print = (text: string) => json ? void parts.push(text) : output.raw(text);
  print(exportHeader(source, documents));
  for (const document of documents) print(await exportDocument(document, source, { engine, signal }));
  if (json) output.json({ source: source.name, documents: documents.length, text: parts.join("") });
}

function findingLines(report: HealthReport, check: HealthCheck): string[] {
  if (check === "duplicates") {
    return report.duplicates.map(({ paths, by }) =>
      `  ${paths.map((path) => oneLine(path)).join(" = ")}  (${by})`
    );
  }
  return report[check].map(({ path, link, detail }: Finding) =>
    `  ${
      [path, link, detail && `(${detail})`].filter(Boolean).map((part) => oneLine(String(part))).join("  ")
    }`
  );
}

/** Returns the name of a check for people. */
function label(check: string): string {
  const words = check.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function today({ now }: ClientContext): string {
  return new Date(now()).toISOString().slice(0, 10);
}
