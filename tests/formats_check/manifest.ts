/**
 * `deno run -A tests/formats_check/manifest.ts [MANIFEST] [--only TEXT]`: uploads the files of a manifest through
 * MCP, and checks that each is found with `kb_search` and read with `kb_get`, or refused.
 *
 * A manifest is a table with the columns `file`, relative to the manifest, and `expect`: a phrase of the text,
 * `expect-empty` for a file without text, or `expect-error`. Default: that of `KB_TEST_DATA`.
 *
 * @module
 */
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { print } from "../../scripts/print.ts";
import { SKIPPED, testDataFolder } from "../../scripts/test_data.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";

interface Row {
  readonly file: string;
  readonly expect: string;
}

// deno-lint-ignore no-explicit-any -- structured results of tools
type Fields = any;

/** Results of `kb_search` in which the document must be. */
const TOP = 10;

async function readManifest(path: string): Promise<Row[]> {
  const [header = "", ...lines] = (await Deno.readTextFile(path)).trim().split("\n");
  const columns = header.split("\t");
  return lines.map((line) => {
    const cells = line.split("\t");
    const cell = (name: string) => cells[columns.indexOf(name)]?.trim() ?? "";
    return { file: cell("file"), expect: cell("expect") };
  });
}

/** Words without case, white space, marks of Markdown and invisible characters. */
function normalize(text: string): string {
  return text.normalize("NFKC").toLowerCase()
    .replace(/\p{Cf}/gu, "").replace(/\\(?=[^\w\s])/g, "").replace(/[*_`#>|[\]]|<br>/g, " ")
    .replace(/[’‘]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, " ");
}

async function upload(agent: Agent, path: string): Promise<{ refused?: string; job?: Fields }> {
  const bytes = await Deno.readFile(path);
  const start = await agent.call("kb_upload_start", {
    filename: basename(path),
    total_size: bytes.length,
    source_path: path,
  });
  if (start.isError) return { refused: start.text };
  const { upload_id, upload_url } = start.structured as Fields;
  const response = await fetch(upload_url, { method: "PUT", body: bytes });
  if (!response.ok) return { refused: `${response.status} ${await response.text()}` };
  const finish = await agent.call("kb_upload_finish", { upload_id });
  if (finish.isError) return { refused: finish.text };
  return { job: await endOf(agent, finish.structured) };
}

/** Waits for a job and, of an archive, the jobs of its files. */
async function endOf(agent: Agent, job: Fields): Promise<Fields> {
  for (;;) {
    const result = await agent.call("kb_jobs", { job_id: job.job_id, wait: 30 });
    if (result.isError) throw new Error(result.text);
    const current: Fields = (result.structured as Fields).jobs[0];
    const { queued = 0, processing = 0 } = current.file_jobs ?? {};
    if (!["queued", "processing"].includes(current.status) && queued + processing === 0) return current;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function documentText(agent: Agent, id: number): Promise<string> {
  const texts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const result = await agent.call("kb_get", { document_id: id, offset, max_tokens: 50_000 });
    if (result.isError) throw new Error(result.text);
    const page: Fields = result.structured;
    texts.push(...page.chunks.map(({ text }: Fields) => text));
    offset = page.next_offset;
  }
  return texts.join("\n");
}

/** Returns the problem with a row, or undefined. */
async function check(agent: Agent, { expect }: Row, path: string): Promise<string | undefined> {
  const { refused, job } = await upload(agent, path);
  const problem = refused ?? (job.status === "failed" ? `${job.error_code}: ${job.error}` : undefined);
  if (/^(?:expect-error|expect-unreadable)/.test(expect)) {
    return problem === undefined && job.warning === undefined ? "was indexed without an error" : undefined;
  }
  if (expect.startsWith("expect-empty")) {
    return problem?.includes("no_text") ? undefined : `expected no_text, got ${problem ?? "a document"}`;
  }
  if (expect === "any") return problem?.includes("internal") ? problem : undefined;
  if (problem !== undefined) return problem;
  const search = await agent.call("kb_search", { query: expect, top: TOP });
  const hits: Fields[] = (search.structured as Fields).results ?? [];
  const ids = new Set<number>(hits.map(({ document_id }) => document_id));
  if (job.document_id !== null && job.document_id !== undefined && !ids.has(job.document_id)) {
    return "is not in the first 10 results";
  }
  const candidates = job.document_id ? [job.document_id, ...ids] : [...ids];
  for (const id of candidates) {
    if (normalize(await documentText(agent, id)).includes(normalize(expect))) return undefined;
  }
  return "does not contain the phrase";
}

const { values: { only }, positionals } = parseArgs({
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const data = testDataFolder();
const manifest = positionals[0] ?? (data === undefined ? undefined : `${data}/files/manifest.tsv`);
if (manifest === undefined) {
  print(SKIPPED);
  Deno.exit(0);
}
const rows = (await readManifest(resolve(manifest))).filter(({ file }) => file.includes(only ?? ""));
await using server = await startTestServer();
await using agent = await connectAgent(server.url);
let failed = 0;
for (const row of rows) {
  const problem = await check(agent, row, join(dirname(resolve(manifest)), row.file)).catch((error) =>
    `${error instanceof Error ? error.message : error}`
  );
  if (problem === undefined) continue;
  failed++;
  print(`FAILED ${row.file}: "${row.expect}" ${problem.slice(0, 200)}`);
}
print(`${rows.length - failed} of ${rows.length} files as expected`);
Deno.exit(failed === 0 ? 0 : 1);
