import type { ReadContext } from "./define.ts";
import { inline } from "./markdown.ts";

/** Maximum number of rows in a table: a third-party engine may report anything. */
const MAX_ROWS = 50;
/** Maximum length of a cell value. */
const MAX_VALUE_CHARS = 200;

/** Returns the status of the knowledge base, its engine and this server as Markdown tables. */
export async function readStatus(
  { engine, collections, uploads, server, signal }: ReadContext,
): Promise<string> {
  const status = await engine.status({ signal });
  const info = server();
  const { documents } = status;
  const empty = Object.fromEntries(collections.names.map((name) => [name, 0]));
  return [
    "# Knowledge base status",
    ...(documents ? table("Collection", "Documents", { ...empty, ...documents.by_collection }) : []),
    ...(documents ? table("Type", "Documents", documents.by_type) : []),
    ...(documents ? table("Language", "Documents", documents.by_language ?? {}) : []),
    ...table("Engine", "", {
      version: status.version,
      model: status.model ?? "none (full text only)",
      device: status.device,
      documents: documents?.total,
      "documents to analyze": documents?.to_analyze,
      chunks: status.chunks,
      tags: status.tags,
    }),
    ...table("Jobs", "", status.queue ?? {}),
    ...table("Storage", "", spaced(status.storage ?? {})),
    ...table("This server", "", {
      name: info.name,
      version: info.version,
      "MCP versions": info.protocol_versions.join(", "),
      engine: info.engine,
      "uptime in seconds": info.uptime_seconds,
      "uploads in progress": uploads.active.uploads,
    }),
  ].join("\n\n") + "\n";
}

/** Returns a table of two columns, or nothing without rows: third-party engines may omit fields. */
function table(name: string, value: string, rows: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(rows).filter(([, cell]) => cell !== undefined && cell !== null);
  if (entries.length === 0) return [];
  const shown = entries.slice(0, MAX_ROWS).map(([key, cell]) => `| ${inline(key)} | ${cellText(cell)} |`);
  const rest = entries.length > MAX_ROWS ? [`| … | ${entries.length - MAX_ROWS} more |`] : [];
  return [[`| ${name} | ${value} |`, "| --- | --- |", ...shown, ...rest].join("\n")];
}

/** Turns names such as `database_bytes` into words. */
function spaced(rows: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rows).map(([name, value]) => [name.replaceAll("_", " "), value]));
}

function cellText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return inline(text.slice(0, MAX_VALUE_CHARS));
}
