/**
 * Measures the table of docs/performance.md: `deno task bench:scale [OPTIONS]`.
 *
 * - `--rows ID,…`: only these rows; without a value that is a row, prints their names.
 * - `--chunks 10000,100000,500000`: sizes of the knowledge bases.
 * - `--runs N`: measures each row N times, with other queries and texts; prints medians and ranges.
 * - `--texts DIRECTORY`: real texts, made by `texts.ts`. @default `KB_BENCH_TEXTS`, else generated texts
 * - `--data DIRECTORY`: data directories by size, built when missing. @default dist/scale
 * - `--compare CHECKOUT --compare-data DIRECTORY`: measures another checkout in turn with this one.
 * - `--keep-bundle`: does not bundle again.
 * - `--markdown FILE`: also writes the table of docs/performance.md.
 *
 * @module
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { print } from "../../../scripts/print.ts";
import { addVectors } from "./add_vectors.ts";
import { buildDataDirectories } from "./build.ts";
import { openCorpus } from "./corpus.ts";
import { markdownRows, printRow, type SubjectFigures } from "./report.ts";
import type { Row } from "./row.ts";
import * as ingestRows from "./ingest_rows.ts";
import * as mcpRows from "./mcp_rows.ts";
import * as searchRows from "./search_rows.ts";
import * as storeRows from "./store_rows.ts";
import { bundleSubject, sizeName, type Subject } from "./subject.ts";
import * as vectorRows from "./vector_rows.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

const ROWS: readonly Row[] = [
  searchRows.search,
  searchRows.clients,
  searchRows.worst,
  mcpRows.overhead,
  mcpRows.cheap,
  mcpRows.soak,
  ingestRows.notes,
  ingestRows.addNote,
  ingestRows.files,
  ingestRows.busy,
  vectorRows.hybrid,
  vectorRows.vectorsOnDisk,
  storeRows.smallStore,
  storeRows.disk,
  storeRows.start,
  storeRows.loadMemory,
];

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    args: Deno.args,
    options: {
      rows: { type: "string" },
      chunks: { type: "string", default: "10000,100000,500000" },
      runs: { type: "string", default: "1" },
      texts: { type: "string" },
      data: { type: "string", default: "dist/scale" },
      compare: { type: "string" },
      "compare-data": { type: "string" },
      "keep-bundle": { type: "boolean", default: false },
      markdown: { type: "string" },
    },
  });
  const rows = selectRows(options.rows);
  const sizes = options.chunks.split(",").map(Number).sort((a, b) => a - b);
  const corpus = await openCorpus(options.texts);
  const subjects: Subject[] = [{ name: "this", root: ROOT, data: resolve(options.data) }];
  if (options.compare !== undefined) {
    if (options["compare-data"] === undefined) throw new Error("--compare requires --compare-data");
    subjects.push({
      name: "compared",
      root: resolve(options.compare),
      data: resolve(options["compare-data"]),
    });
  }
  await prepareData(subjects[0]!.data, { sizes, texts: options.texts, rows });
  for (const subject of subjects) await bundleSubject(subject, { isKept: options["keep-bundle"] });
  print(
    `${corpus.isProse ? "real" : "generated"} texts, ${
      sizes.map(sizeName).join(", ")
    } chunks, ${options.runs} runs`,
  );
  const table: string[] = [];
  for (const row of rows) {
    const figures: SubjectFigures = new Map(subjects.map(({ name }) => [name, []]));
    for (let run = 0; run < Number(options.runs); run++) {
      // Each subject is the first in turn.
      for (const subject of run % 2 ? subjects.toReversed() : subjects) {
        try {
          figures.get(subject.name)!.push(await row.measure({ subject, corpus, sizes, run }));
        } catch (error) {
          print(`${row.id} of ${subject.name} failed: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
    printRow(row, figures);
    table.push(...markdownRows(row, figures));
    if (options.markdown !== undefined) await Deno.writeTextFile(options.markdown, table.join("\n") + "\n");
  }
}

function selectRows(names: string | undefined): readonly Row[] {
  if (names === undefined) return ROWS;
  return names.split(",").map((name) => {
    const row = ROWS.find(({ id }) => id === name);
    if (row) return row;
    throw new Error(`--rows must be some of ${ROWS.map(({ id }) => id).join(", ")}, got ${name}`);
  });
}

async function prepareData(
  data: string,
  { sizes, texts, rows }: { sizes: readonly number[]; texts: string | undefined; rows: readonly Row[] },
): Promise<void> {
  await buildDataDirectories(data, { chunks: sizes, texts });
  if (!rows.some(({ id }) => id === "hybrid" || id === "vector-memory" || id === "disk")) return;
  for (const size of sizes) {
    const [from, to] = [`${data}/${sizeName(size)}`, `${data}/${sizeName(size)}-vectors`];
    if (size >= 100_000 && !await Deno.stat(`${to}/queries.json`).then(() => true, () => false)) {
      await addVectors(from, to);
    }
  }
}

if (import.meta.main) await main();
