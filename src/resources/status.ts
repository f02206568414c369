import type { ReadContext } from "./define.ts";
import { inline } from "./markdown.ts";

/** Most rows of one table: an engine from elsewhere may count anything. */
const MAX_ROWS = 50;
/** Longest value of a cell. */
const MAX_VALUE_CHARS = 200;

/** What the knowledge base holds and how it and this server do, as Markdown tables. */
export async function readStatus(
  { engine, collections, uploads, server, signal }: ReadContext,
): Promise<string> {
  const status = await engine.status({ signal });
  const own = server();
  const { documents } = status;
  const empty = Object.fromEntries(collections.names.map((name) => [name, 0]));
  return [
    "# Knowledge base status",
    ...(documents ? table("Collection", "Documents", { ...empty, ...documents.by_collection }) : []),
    ...(documents ? table("Type", "Documents", documents.by_type) : []),
    ...table("Engine", "", {
      version: status.version,
      model: status.model ?? "none: full text only",
      device: status.device,
      documents: documents?.total,
      chunks: status.chunks,
      tags: status.tags,
    }),
    ...table("Jobs", "", status.queue ?? {}),
    ...table("Storage", "", status.storage ?? {}),
    ...table("This server", "", {
      name: own.name,
      version: own.version,
      "MCP revisions": own.protocol_versions.join(", "),
      engine: own.engine,
      "uptime in seconds": own.uptime_seconds,
      "uploads in progress": uploads.active.uploads,
    }),
  ].join("\n\n") + "\n";
}

/** A table of two columns; nothing at all without rows: an engine from elsewhere may leave parts out. */
function table(name: string, value: string, rows: Readonly<Record<string, unknown>>): string[] {
  const known = Object.entries(rows).filter(([, cell]) => cell !== undefined && cell !== null);
  if (known.length === 0) return [];
  const shown = known.slice(0, MAX_ROWS).map(([key, cell]) => `| ${inline(key)} | ${cellText(cell)} |`);
  const left = known.length > MAX_ROWS ? [`| … | ${known.length - MAX_ROWS} more |`] : [];
  return [[`| ${name} | ${value} |`, "| --- | --- |", ...shown, ...left].join("\n")];
}

function cellText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return inline(text.slice(0, MAX_VALUE_CHARS));
}
