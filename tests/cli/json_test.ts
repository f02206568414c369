import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { commandsOf } from "../../scripts/command_docs.ts";
import { createContext } from "../../src/cli/context.ts";
import { createProgram } from "../../src/cli/program.ts";
import { VERSION } from "../../src/version.ts";
import { addNotes, notes, startWriter, tempDir } from "../engine/sqlite/backfill/support.ts";
import { TestEmbedder } from "../support/test_embedder.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { tinyModel } from "../support/tiny_model.ts";
import { runCommand } from "./run_command.ts";

/** Commands that print nothing, or what another program reads as it is. */
const WITHOUT_JSON = ["serve", "engine", "healthcheck", "recall", "connect", "stdio", "completion"];

Deno.test("every command that prints a result has --json", () => {
  const program = createProgram(
    createContext({ env: {}, writeOut() {}, writeError() {}, isTerminal: false }),
  );
  const without = commandsOf(program)
    .filter(({ commands, registeredArguments }) => commands.length === 0 || registeredArguments.length > 0)
    .filter(({ options }) => !options.some(({ long }) => long === "--json"))
    .map((command) => command.name());
  assertEquals(without.toSorted(), WITHOUT_JSON.toSorted());
});

/** Runs a command, whose standard output must be one JSON document. */
async function json(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(args, env);
  assertEquals(code, 0, stderr);
  return { result: JSON.parse(stdout), stderr };
}

Deno.test("backup, vacuum, reindex and restore report as JSON", async () => {
  await using dir = await tempDir();
  await using embedder = TestEmbedder.start();
  {
    await using writer = await startWriter(dir.path, undefined);
    await addNotes(writer, notes(5));
  }
  const env = { KB_DATA_DIR: dir.path };
  const file = `${dir.path}/kb-backup.db`;
  const { result: backup } = await json(["backup", file, "--json"], env);
  const { size } = await Deno.stat(file);
  assertEquals(backup, { file, bytes: size, documents: 5, queued_files_left_out: 0 });

  const { result: vacuum } = await json(["vacuum", "--json"], env);
  assertEquals(vacuum.bytes_freed, Math.max(0, vacuum.bytes_before - vacuum.bytes_after));
  const embedding = { KB_EMBEDDINGS_URL: embedder.url, KB_EMBEDDINGS_MODEL: "test-model" };
  const { result, stderr } = await json(["reindex", "--json"], { ...env, ...embedding });
  assertEquals(result, {
    complete: true,
    model: "test-model",
    dimensions: 64,
    chunks: 5,
    embedded: 5,
    rejected: 0,
  });
  assertMatch(stderr, /^kb-mcp: embedded 0 of 5 chunks/);

  await using other = await temporaryFolder();
  const { result: restored } = await json(["restore", file, "--json"], { KB_DATA_DIR: other.path });
  assertEquals([restored.data_dir, restored.documents, restored.kept], [other.path, 5, []]);
});

Deno.test("model list, model install and version report as JSON", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/heron.kbmodel`;
  await Deno.writeFile(file, tinyModel({ name: "heron" }));
  const env = { KB_DATA_DIR: `${folder.path}/data`, KB_EMBEDDINGS_MODEL: "heron" };
  const { result: installed } = await json(["model", "install", file, "--json"], env);
  assertEquals([installed.name, installed.license, installed.active], ["heron", "CC0-1.0", true]);
  const { models } = (await json(["model", "list"], env)).result;
  const heron = models.find(({ name }: { name: string }) => name === "heron");
  assertEquals([heron.state, heron.active, heron.bytes], ["installed", true, installed.bytes]);
  assertEquals((await json(["version", "--json"], {})).result, { name: "kb-mcp", version: VERSION });
});

Deno.test("key add, rotate, change and remove report as JSON", async () => {
  await using folder = await temporaryFolder();
  const env = { KB_MCP_KEYS: `${folder.path}/keys.json` };
  const { result: added, stderr } = await json(["key", "add", "alice", "--scope", "add", "--json"], env);
  assertStringIncludes(added.key, "kbm_");
  assertEquals([added.name, added.scope, added.expires_at, stderr], ["alice", "add", null, ""]);
  const { result: rotated } = await json(["key", "rotate", "alice", "--json"], env);
  assertEquals([rotated.scope, rotated.key === added.key], ["add", false]);
  const { result: changed } = await json(["key", "change", "alice", "--scope", "read", "--json"], env);
  assertEquals([changed.scope, "key" in changed], ["read", false]);
  const { result: removed } = await json(["key", "remove", "alice", "--json"], env);
  assertEquals(removed, { name: "alice", removed: true });
});
