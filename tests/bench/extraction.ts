// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures the extraction process by format, from the file to its chunks, and searches while files are ingested.
 * Prints each figure with its target. `--only FORMAT` measures one format, `--file PATH` a real file.
 *
 * @module
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { extractionCommand, ExtractionProcess } from "../../src/extraction_process/mod.ts";
import { MemoryWatch, processTree } from "../attack/process_tree.ts";
import { startProgram } from "../support/program.ts";
import { sampleEpub, sampleOdt, samplePptx, sampleXlsx } from "../support/sample_packages.ts";
import { sampleDocx, samplePdf } from "../support/samples.ts";
import { syntheticText } from "./corpus.ts";
import { quantile } from "./measure.ts";

const MB = 1e6;
const CHUNK = { maxTokens: 320, overlapTokens: 48 };
/** Files of each format: after the first one, the process and its parser are warm. */
const RUNS = 3;
const SEARCHES = 300;
const PART_BYTES = 65_536;
/** Resident memory of all processes while files are ingested, in MiB. */
const MAX_TREE_MIB = 600;
/** 95th percentile of searches during ingestion, as a multiple of that of the idle program. */
const MAX_SLOWDOWN = 2.5;

/** A file to measure, with a figure of its own besides bytes. */
interface BenchFile {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly count?: { readonly unit: string; readonly n: number };
  /** Minimum per second of processor time, in units or in MB. */
  readonly target?: number;
}

const generator = syntheticText(1);
const paragraphs: readonly string[] = Array.from(generator.documents(6000), ({ chunks }) => chunks)
  .flat().map((chunk) => typeof chunk === "string" ? chunk : chunk.text);

/** Returns generated text of about so many characters, in paragraphs. */
function texts(chars: number): string[] {
  const result: string[] = [];
  for (let i = 0; chars > 0; i++) {
    const paragraph = paragraphs[i % paragraphs.length] ?? "";
    result.push(paragraph);
    chars -= paragraph.length;
  }
  return result;
}

/** Breaks a text into lines of a page. */
function page(text: string): string {
  return text.replace(/[^ -~]/g, " ").replace(/(.{60,80}) /g, "$1\n").slice(0, 2400);
}

function benchFiles(): BenchFile[] {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const pages = texts(1_200_000);
  const html = texts(4 * MB).map((text, i) => `${i % 20 === 0 ? `<h2>Section ${i}</h2>` : ""}<p>${text}</p>`);
  const words = texts(1_500_000).join(" ").split(" ");
  const rows = Array.from(
    { length: 25_000 },
    (_, i) => [words.slice(8 * i, 8 * i + 6).join(" "), i, words[8 * i] ?? "", i / 7],
  );
  return [
    {
      filename: "pages.pdf",
      bytes: samplePdf(Array.from({ length: 400 }, (_, i) => page(pages.slice(i, i + 4).join(" ")))),
      count: { unit: "pages", n: 400 },
      target: 200,
    },
    { filename: "text.txt", bytes: bytes(texts(12 * MB).join("\n\n")), target: 15 },
    {
      filename: "notes.md",
      bytes: bytes(texts(6 * MB).map((text, i) => `## Note ${i}\n\n${text}`).join("\n\n")),
    },
    {
      filename: "page.html",
      bytes: bytes(`<!doctype html><html><body><main>${html.join("\n")}</main></body></html>`),
      target: 2,
    },
    { filename: "table.csv", bytes: bytes(rows.map((row) => row.join(",")).join("\n")) },
    { filename: "report.docx", bytes: sampleDocx(texts(1_500_000)) },
    { filename: "report.odt", bytes: sampleOdt(texts(1_500_000)) },
    { filename: "book.epub", bytes: sampleEpub("Book", chapters(texts(1_500_000), 40)) },
    { filename: "table.xlsx", bytes: sampleXlsx(rows), count: { unit: "rows", n: rows.length } },
    {
      filename: "slides.pptx",
      bytes: samplePptx(texts(200_000).map((text) => text.slice(0, 400)), "Notes"),
    },
  ];
}

function chapters(texts: readonly string[], count: number): string[] {
  const size = Math.ceil(texts.length / count);
  return Array.from({ length: count }, (_, i) => texts.slice(i * size, (i + 1) * size).join(" "));
}

/**
 * Measures the extraction of files, one after the other, in one process. Targets are for a second of its processor
 * time, which other programs on the machine hardly change.
 */
async function benchFormats(files: readonly BenchFile[]): Promise<boolean> {
  let passed = true;
  await using process = new ExtractionProcess(await extractionCommand({ maxMemoryBytes: 2 ** 30 }));
  await process.start();
  console.log(
    "\nextraction to chunks, one process\n  file              MB    median s   CPU s   per CPU second",
  );
  for (const { filename, bytes, count, target } of files) {
    const seconds: number[] = [];
    const cpuSeconds: number[] = [];
    let chars = 0;
    try {
      for (let run = 0; run <= RUNS; run++) {
        const started = performance.now();
        const { cpuSeconds: before } = await processTree(process.pid);
        const content = { bytes: parts(bytes), sizeBytes: bytes.length };
        const { chunks = [] } = await process.extract({ filename, chunk: CHUNK }, content) ?? {};
        chars = chunks.at(-1)?.charEnd ?? 0;
        if (run === 0) continue;
        seconds.push((performance.now() - started) / 1000);
        cpuSeconds.push((await processTree(process.pid)).cpuSeconds - before);
      }
    } catch (error) {
      console.log(`  ${filename.padEnd(12)} ${error instanceof Error ? error.message : error}`);
      continue;
    }
    // The clock of processes ticks every 10 ms.
    const cpu = Math.max(0.01, quantile(cpuSeconds, 0.5));
    const perSecond = (count?.n ?? bytes.length / MB) / cpu;
    const isMissed = target !== undefined && perSecond < target;
    if (isMissed) passed = false;
    console.log(
      `  ${filename.padEnd(12)} ${(bytes.length / MB).toFixed(1).padStart(7)} ${
        quantile(seconds, 0.5).toFixed(2).padStart(11)
      } ${cpu.toFixed(2).padStart(7)} ${perSecond.toFixed(perSecond < 10 ? 1 : 0).padStart(10)} ${
        count?.unit ?? "MB"
      }, ${(chars / MB).toFixed(1)}M characters` +
        (target === undefined ? "" : ` (target ${target}${isMissed ? ": MISSED" : ""})`),
    );
  }
  return passed;
}

/** Yields a file in parts, as it is read from the disk. */
async function* parts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

/** Measures searches of the started program, idle and while it ingests files, and its memory. */
async function benchSearches(files: readonly BenchFile[]): Promise<boolean> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-bench-" });
  try {
    await using server = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
    const send = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${server.url}/api/v1${path}`, init);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    };
    const submit = async ({ filename, bytes }: BenchFile, n: number) => {
      const form = new FormData();
      form.append("file", new File([bytes, `\n${n}`], filename));
      await send("/jobs", { method: "POST", body: form });
    };
    const waiting = async () => {
      let count = 0;
      for (const status of ["queued", "processing"]) {
        count += (await send(`/jobs?status=${status}&limit=10`)).jobs.length;
      }
      return count;
    };
    const drain = async () => {
      while (await waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const search = async () => {
      const started = performance.now();
      const body = JSON.stringify({ query: generator.question(), limit: 10 });
      await send("/search", { method: "POST", body, headers: { "content-type": "application/json" } });
      return performance.now() - started;
    };
    const text = new TextEncoder().encode(texts(3 * MB).join("\n\n"));
    await submit({ filename: "first.txt", bytes: text }, 0);
    await drain();
    for (let i = 0; i < SEARCHES; i++) await search(); // warm-up
    const idle: number[] = [];
    for (let i = 0; i < SEARCHES; i++) idle.push(await search());

    await using watch = new MemoryWatch(server.child.pid);
    const busy: number[] = [];
    const started = performance.now();
    for (const [i, file] of files.entries()) await submit(file, i);
    while (await waiting() > 0) busy.push(await search());
    const seconds = (performance.now() - started) / 1000;
    const [before, during] = [quantile(idle, 0.95), quantile(busy, 0.95)];
    const after = (await processTree(server.child.pid)).residentMiB;
    const isSlow = during > MAX_SLOWDOWN * before;
    const isLarge = watch.peakMiB > MAX_TREE_MIB;
    console.log(`\nsearches while ${files.length} files are ingested (${seconds.toFixed(1)} s)`);
    console.log(
      `  p95 ${before.toFixed(1)} ms idle, ${during.toFixed(1)} ms in ${busy.length} searches during it: ` +
        `${(during / before).toFixed(1)} × (target ${MAX_SLOWDOWN}${isSlow ? ": MISSED" : ""})`,
    );
    console.log(
      `  all processes: peak ${watch.peakMiB.toFixed(0)} MiB (target ${MAX_TREE_MIB}${
        isLarge ? ": MISSED" : ""
      }), ${after.toFixed(0)} MiB at the end`,
    );
    return !isSlow && !isLarge;
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Runs both measurements, and returns whether all targets are met. */
export async function benchExtraction(options: { only?: string; file?: string } = {}): Promise<boolean> {
  const { only, file } = options;
  if (file !== undefined) {
    return await benchFormats([{ filename: basename(file), bytes: await Deno.readFile(file) }]);
  }
  const files = benchFiles().filter(({ filename }) => only === undefined || filename.endsWith(`.${only}`));
  const isFast = await benchFormats(files);
  return (only !== undefined || await benchSearches(files)) && isFast;
}

if (import.meta.main) {
  const { values: { only, file } } = parseArgs({
    options: { only: { type: "string" }, file: { type: "string" } },
  });
  const passed = await benchExtraction({
    ...(only === undefined ? {} : { only }),
    ...(file === undefined ? {} : { file }),
  });
  Deno.exit(passed ? 0 : 1);
}
