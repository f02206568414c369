import type { Evaluation } from "./evaluate.ts";
import { METRICS } from "./metrics.ts";

/** Maximum number of queries in {@linkcode formatWorstQueries}. */
const MAX_WORST_QUERIES = 10;
/** Maximum length of a displayed query. */
const MAX_QUERY_CHARS = 80;

/** Formats evaluations as a text table, followed by notes. */
export function formatTable(evaluations: readonly Evaluation[]): string {
  const head = ["set", "mode", "documents", "queries", ...METRICS, "p50 ms", "p95 ms", "p99 ms"];
  const rows = evaluations.map(({ set, mode, documents, queries, scores, latency }) => [
    set,
    mode,
    documents === undefined ? "" : String(documents),
    String(queries),
    ...METRICS.map((metric) => scores[metric].toFixed(4)),
    ...[latency.p50, latency.p95, latency.p99].map((ms) => ms.toFixed(1)),
  ]);
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    )
      .join("  ").trimEnd();
  return [line(head), ...rows.map(line), ...evaluations.flatMap(notes)].join("\n");
}

/** Formats the queries with the lowest nDCG. */
export function formatWorstQueries({ set, perQuery }: Evaluation): string {
  const lines = perQuery.slice(0, MAX_WORST_QUERIES).map(({ id, text, scores }) => {
    const shown = text.replaceAll(/\s+/g, " ").trim();
    const cut = shown.length > MAX_QUERY_CHARS
      ? `${shown.slice(0, MAX_QUERY_CHARS - 1).toWellFormed()}…`
      : shown;
    return `  ${scores["ndcg@10"].toFixed(4)}  ${id}  ${cut}`;
  });
  return [`${set}: queries with the lowest ndcg@10`, ...lines].join("\n");
}

/** Formats evaluations as versioned JSON with all results. */
export function formatJson(evaluations: readonly Evaluation[]): string {
  return JSON.stringify({ version: 1, evaluations }, null, 2) + "\n";
}

function notes({ set, skipped, model, warnings }: Evaluation): string[] {
  const lines: string[] = [];
  if (model !== undefined) lines.push(`${set}: vectors by ${model}`);
  if (skipped > 0) lines.push(`${set}: skipped ${skipped} queries without a relevant document`);
  if (warnings.count > 0) {
    lines.push(`${set}: ${warnings.count} searches returned a warning; the first: ${warnings.first}`);
  }
  return lines;
}
