import * as z from "zod";
import { oneLine } from "../text/mod.ts";
import { defineTool, ToolError } from "../tools/mod.ts";
import {
  checkHealth,
  DEFAULT_STALE_DAYS,
  type Finding,
  HEALTH_CHECKS,
  type HealthCheck,
  type HealthReport,
} from "../vault/mod.ts";
import { MaxTokens, READ_ONLY, SectionArgument, SourceArgument } from "./arguments.ts";
import { findSource } from "./find_source.ts";
import { fitLists } from "./fit.ts";
import { readVault } from "./read_vault.ts";
import { emptySection, sectionPrefix } from "./section.ts";

/** Default of `max_tokens`. */
const DEFAULT_TOKENS = 2_000;
/** Maximum length of a path, link or reason in the output. */
const MAX_CHARS = 300;
/** Maximum number of paths of a group of duplicates. */
const MAX_DUPLICATES = 10;

/** Checks the documents of a source. */
export const kbHealth = defineTool({
  name: "kb_health",
  title: "Check a source",
  description:
    `Check a source: broken links, missing headings, orphans (no links to them), empty and untagged files, \
duplicates, stale documents, files that could not be read. quality is the share of documents without findings.

Use this tool when you need to:
- Clean up or complete a collection of notes
- Verify links after changes`,
  scope: "read",
  engineVersion: "3.4.0",
  input: z.strictObject({
    source: SourceArgument,
    section: SectionArgument,
    checks: z.array(z.enum(HEALTH_CHECKS)).min(1).optional().describe("Default all."),
    stale_days: z.int().min(1).max(36_500).default(DEFAULT_STALE_DAYS).describe("Days without change."),
    offset: z.int().min(0).max(10_000_000).default(0).describe("next_offset, for the rest of long lists."),
    max_tokens: MaxTokens.default(DEFAULT_TOKENS),
  }),
  output: z.looseObject({
    source: z.string(),
    documents: z.number(),
    quality: z.number().optional(),
    counts: z.record(z.string(), z.number()),
    next_offset: z.number().optional(),
  }),
  annotations: READ_ONLY,
  async run({ source: name, section, checks = HEALTH_CHECKS, stale_days, offset, max_tokens }, context) {
    const source = await findSource(name, context);
    const { note, ...vault } = await readVault(source, context);
    const prefix = sectionPrefix(section, source);
    const today = new Date(context.now()).toISOString().slice(0, 10);
    const report = checkHealth(vault, { today, staleDays: stale_days, prefix });
    const paths = vault.documents.map(({ path }) => path).filter((path) => path.startsWith(prefix));
    const isEmpty = paths.length === 0 && checks.every((check) => report[check].length === 0);
    if (prefix !== "" && isEmpty) throw new ToolError(emptySection(prefix, source));
    return {
      source: source.name,
      documents: paths.length,
      ...(paths.length > 0 ? { quality: qualityOf(paths, report, checks) } : {}),
      counts: Object.fromEntries(checks.map((check) => [check, report[check].length])),
      ...fitLists((length) => presentFindings(report, { checks, offset, length }), max_tokens),
      ...(note === undefined ? {} : { note }),
    };
  },
});

/** Returns the percentage of paths without a finding, rounded down. */
function qualityOf(paths: readonly string[], report: HealthReport, checks: readonly HealthCheck[]): number {
  const found = new Set<string>();
  for (const check of checks) {
    if (check === "duplicates") {
      report.duplicates.forEach((group) => group.paths.forEach((path) => found.add(path)));
    } else report[check].forEach(({ path }) => found.add(path));
  }
  return Math.floor(100 * paths.filter((path) => !found.has(path)).length / paths.length);
}

/** Presents a page of each list that is not empty. */
function presentFindings(
  report: HealthReport,
  { checks, offset, length }: {
    readonly checks: readonly HealthCheck[];
    readonly offset: number;
    readonly length: number;
  },
) {
  const end = offset + length;
  const lists = checks.map((check) => {
    const shown = check === "duplicates"
      ? report.duplicates.slice(offset, end).map(({ paths, by }) => ({
        paths: paths.slice(0, MAX_DUPLICATES).map((path) => oneLine(path, MAX_CHARS)),
        by,
        ...(paths.length > MAX_DUPLICATES ? { paths_total: paths.length } : {}),
      }))
      : report[check].slice(offset, end).map(presentFinding);
    return [check, shown] as const;
  }).filter(([, shown]) => shown.length > 0);
  const hasMore = checks.some((check) => report[check].length > end);
  return { ...Object.fromEntries(lists), ...(hasMore ? { next_offset: end } : {}) };
}

/** A finding that is only a path is shown as text. */
function presentFinding({ path, link, detail }: Finding) {
  const file = oneLine(path, MAX_CHARS);
  if (link === undefined && detail === undefined) return file;
  return {
    path: file,
    ...(link === undefined ? {} : { link: oneLine(link, MAX_CHARS) }),
    ...(detail === undefined ? {} : { detail: oneLine(detail, MAX_CHARS) }),
  };
}
