import type { RunComparison } from "./comparisons.ts";
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
  return [...align([head, ...rows], 2), ...new Set(evaluations.flatMap(notes))].join("\n");
}

/** Formats recall@1 and recall@5 by language and search mode; empty without languages. */
export function formatLanguages(evaluations: readonly Evaluation[]): string {
  const sets = Map.groupBy(evaluations.filter(({ languages }) => languages.length > 0), ({ set }) => set);
  return [...sets.values()].map((modes) => {
    const head = ["set", "language", "queries"];
    for (const { mode } of modes) head.push(`${mode} recall@1`, "recall@5");
    const rows = (modes[0]?.languages ?? []).map(({ language, queries }) => {
      const row = [modes[0]?.set ?? "", language, String(queries)];
      for (const { languages } of modes) {
        const scores = languages.find((each) => each.language === language)?.scores;
        row.push(scores?.["recall@1"].toFixed(3) ?? "", scores?.["recall@5"].toFixed(3) ?? "");
      }
      return row;
    });
    return align([head, ...rows], 2).join("\n");
  }).join("\n\n");
}

/** Formats paired comparisons of runs as a text table; empty without comparisons. */
export function formatComparisons(comparisons: readonly RunComparison[]): string {
  if (comparisons.length === 0) return "";
  const head = ["set", "ndcg@10", "difference", "std error", "wins", "losses", "ties", "p"];
  const rows = comparisons.map(({ set, after, before, mean, standardError, wins, losses, ties, p }) => [
    set,
    `${after} vs ${before}`,
    `${mean < 0 ? "" : "+"}${mean.toFixed(4)}`,
    standardError.toFixed(4),
    String(wins),
    String(losses),
    String(ties),
    p < 0.0001 ? "<0.0001" : p.toFixed(4),
  ]);
  return align([head, ...rows], 2).join("\n");
}

/** Formats the queries with the lowest nDCG. */
export function formatWorstQueries({ set, mode, perQuery }: Evaluation): string {
  const lines = perQuery.slice(0, MAX_WORST_QUERIES).map(({ id, text, scores }) => {
    const shown = text.replaceAll(/\s+/g, " ").trim();
    const cut = shown.length > MAX_QUERY_CHARS
      ? `${shown.slice(0, MAX_QUERY_CHARS - 1).toWellFormed()}…`
      : shown;
    return `  ${scores["ndcg@10"].toFixed(4)}  ${id}  ${cut}`;
  });
  return [`${set} ${mode}: queries with the lowest ndcg@10`, ...lines].join("\n");
}

/** Formats evaluations and comparisons as versioned JSON with all results. */
export function formatJson(
  evaluations: readonly Evaluation[],
  comparisons: readonly RunComparison[] = [],
): string {
  return JSON.stringify({ version: 1, evaluations, comparisons }, null, 2) + "\n";
}

/** Pads cells to the width of their column: the first columns on the right, the others on the left. */
function align(rows: readonly (readonly string[])[], textColumns: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) =>
      column < textColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ").trimEnd()
  );
}

function notes({ set, mode, skipped, emptyDocuments, model, warnings }: Evaluation): string[] {
  const lines: string[] = [];
  if (model !== undefined) lines.push(`${set}: vectors by ${model}`);
  if (emptyDocuments > 0) lines.push(`${set}: skipped ${emptyDocuments} empty documents`);
  if (skipped > 0) lines.push(`${set}: skipped ${skipped} queries without a relevant document`);
  if (warnings.count > 0) {
    lines.push(`${set} ${mode}: ${warnings.count} searches returned a warning; the first: ${warnings.first}`);
  }
  return lines;
}
