import { assertEquals, assertMatch } from "@std/assert";
import { setFolder, SMALL_SET } from "../evaluation/support.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { runCommand } from "./run_command.ts";

const INVALID: [args: string[], message: RegExp][] = [
  [
    ["x", "--mode", "both"],
    /^kb-mcp: --mode must be one or more of hybrid, fts, vector, separated by commas, got "both"\n$/,
  ],
  [["x", "--mode", "fts,"], /^kb-mcp: --mode must be one or more of .*, got "fts,"\n$/],
  [["x", "--update"], /^kb-mcp: --update must be used with --baseline FILE/],
  [["x", "--fast"], /^kb-mcp: Unknown option "--fast": see "kb-mcp eval --help"\n$/],
  [[], /^kb-mcp: Missing required argument "DIR": see "kb-mcp eval --help"\n$/],
];

for (const [args, message] of INVALID) {
  Deno.test(`eval ${args.join(" ")} is rejected`, async () => {
    const { code, stderr } = await runCommand(["eval", ...args]);
    assertMatch(stderr, message);
    assertEquals(code, 64);
  });
}

Deno.test("kb-mcp eval prints a table, writes JSON and exits with 1 when a metric drops below the baseline", async () => {
  await using folder = await setFolder(SMALL_SET);
  const [json, baseline] = [`${folder.path}/out.json`, `${folder.path}/baseline.json`];
  const first = await runProgram(["eval", folder.path, "--baseline", baseline, "--update", "--json", json]);
  assertEquals(first.code, 0, first.stderr);
  assertMatch(first.stdout, /^set .* ndcg@10 .*\nkb-mcp-test-\S+ +fts +5 +3 +1\.0000 /);
  const { evaluations } = JSON.parse(await Deno.readTextFile(json));
  assertEquals(evaluations[0].perQuery.length, 3);
  const reached = await Deno.readTextFile(baseline);
  await Deno.writeTextFile(
    `${folder.path}/qrels.tsv`,
    "1\tkettle\t1\n1\tnot-there\t1\n2\ttrain\t1\n3\ttitle-only\t1\n",
  );
  const second = await runProgram(["eval", folder.path, "--baseline", baseline]);
  assertEquals(second.code, 1, second.stderr);
  assertMatch(second.stdout, /map 1\.0000 → 0\.\d{4}, DROPPED/);
  assertEquals(await Deno.readTextFile(baseline), reached);
  const piped = await runProgram(["eval", folder.path, "--baseline", baseline, "--verbose", "--json"]);
  assertEquals(piped.code, 1);
  assertEquals(JSON.parse(piped.stdout).evaluations[0].perQuery.length, 3);
  assertMatch(piped.stderr, /map 1\.0000 → 0\.\d{4}, DROPPED/);
});

Deno.test("kb-mcp eval without documents evaluates the engine at KB_ENGINE_URL, or of the running server", async () => {
  await using folder = await setFolder({
    ...SMALL_SET,
    "docs.jsonl": undefined,
    "qrels.tsv": "1\tkettle\t1\n",
  });
  await using data = await setFolder({});
  await using engine = await startProgram(["engine"], { KB_DATA_DIR: data.path });
  const form = new FormData();
  form.append("text", "The kettle stands in the cupboard.");
  form.append("source_path", "kettle");
  const accepted = await fetch(`${engine.url}/api/v1/jobs`, { method: "POST", body: form });
  const { job_id } = await accepted.json();
  const isDone = async () =>
    (await (await fetch(`${engine.url}/api/v1/jobs/${job_id}`)).json()).status === "done";
  while (!await isDone());
  for (const env of [{ KB_ENGINE_URL: engine.url }, { KB_DATA_DIR: data.path }]) {
    const { code, stdout, stderr } = await runProgram(["eval", folder.path], env);
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /kb-mcp-test-\S+ +fts +1 +1\.0000 /);
  }
});

Deno.test("kb-mcp eval exits with 64 and says what the folder must contain", async () => {
  await using folder = await setFolder({});
  const { code, stderr } = await runProgram(["eval", folder.path]);
  assertEquals(code, 64);
  assertMatch(stderr, /^kb-mcp: .* must be a folder with queries\.jsonl and qrels\.tsv/);
});
