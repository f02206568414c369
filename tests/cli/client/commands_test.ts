import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { startEngine } from "../../../src/cli/engine.ts";
import { loadConfig } from "../../../src/config/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { thirdPartyEngine } from "../../support/third_party_engine.ts";
import { runCommand } from "../run_command.ts";

/** Serves a handler on a free port. */
function serve(
  handler: (request: Request) => Response | Promise<Response>,
): AsyncDisposable & { url: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("commands that need documents create no data directory, and say how to add the first one", async () => {
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  const dataDir = join(folder, "none");
  const env = { KB_DATA_DIR: dataDir, KB_EMBEDDINGS_MODEL: "off" };
  for (
    const args of [["status"], ["search", "kettle"], ["list"], ["jobs"], ["source", "list"], ["delete", "1"]]
  ) {
    const { code, stdout, stderr } = await runCommand(args, env);
    assertEquals([code, stdout], [64, ""], args[0]);
    assertEquals(
      stderr,
      `kb-mcp: There is no data yet: the data directory ${JSON.stringify(dataDir)} does not exist. ` +
        "Add documents with kb-mcp add PATH, or set KB_DATA_DIR as for the server\n",
    );
  }
  assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
  assertEquals((await runCommand(["addnote", "The kettle is red."], env)).code, 0);
  assertEquals((await runCommand(["search", "kettle"], env)).code, 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("commands use the running engine, and print JSON or tables", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  const env: Record<string, string> = {
    KB_DATA_DIR: dataDir,
    KB_ENGINE_PORT: "0",
    KB_EMBEDDINGS_MODEL: "off",
    KB_API_KEY: "a-key-of-some-length",
  };
  const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
  {
    await using engine = await startEngine(config, { log: silentLogger, defaultDataDir: () => dataDir });
    const added = await runCommand(["addnote", "The kettle is red.", "--title", "Kettle", "-t", "a,b"], env);
    assertEquals([added.code, added.stderr, JSON.parse(added.stdout).outcome], [0, "", "created"]);
    const terminal = await runCommand(["search", "kettle", "--no-color"], env, { isTerminal: true });
    assertEquals(terminal.stdout, "1  Kettle  line 1\n    The kettle is red.\n\n");
    const remote = { KB_ENGINE_URL: engine.url, KB_API_KEY: env["KB_API_KEY"] ?? "" };
    const list = await runCommand(["list", "--tags", "b", "--json"], remote);
    assertEquals(JSON.parse(list.stdout).documents[0].title, "Kettle");

    const wrongKey = await runCommand(["status"], { ...remote, KB_API_KEY: "another-key-of-some-length" });
    assertEquals([wrongKey.code, wrongKey.stdout], [69, ""]);
    assertMatch(wrongKey.stderr, /KB_API_KEY/);
    const missing = await runCommand(["get", "99"], env);
    assertEquals([missing.code, missing.stdout], [1, ""]);
    assertMatch(missing.stderr, /^kb-mcp: .*99/);
    const partly = await runCommand(["tags", "1", "99", "--add", "c"], env);
    assertEquals([partly.code, JSON.parse(partly.stdout).changed[0].tags], [2, ["a", "b", "c"]]);
    const usage = await runCommand(["list", "-c", "memroy"], env);
    assertEquals(usage.code, 64);
    assertStringIncludes(usage.stderr, 'Did you mean "memory"?');
    const refused: [args: string[], message: string][] = [
      [["search", ""], 'QUERY must not be empty, got ""'],
      [["search", "kettle", "--language", "klingon"], "--language must be "],
      [
        ["search", "kettle", "--cursor", "x"],
        "--cursor must be the cursor that the previous page ended with",
      ],
      [["list", "--cursor", "x"], "--cursor must be "],
      [["trash", "--cursor", "x"], "--cursor must be "],
      [["get", ""], "DOCUMENT must not be empty"],
      [
        ["edit", "1", "--find", "not there", "--replace", "x"],
        "--find is not in the note. Read the note with",
      ],
      [["edit", "1", "--find", "e", "--replace", "x"], "--find must match one passage, got 4 (from line 1)"],
      [["edit", "1", "--section", "Tea", "--with", "x"], '--section "Tea" is not in the note, which has no '],
      [["edit", "1", "--title", "", "--append", ""], "--title must have at least 1 character"],
      [["addnote", "x", "--title", ""], "--title must have at least 1 character"],
      [["history", ""], "The id must not be empty"],
      [["delete", ""], "The id must not be empty"],
      [["source", "add", join(dataDir, "none")], "Cannot add the folder"],
    ];
    for (const [args, message] of refused) {
      const { code, stdout, stderr } = await runCommand(args, env);
      assertEquals([code, stdout], [64, ""], `${args.join(" ")}: ${stderr}`);
      assertStringIncludes(stderr, `kb-mcp: ${message}`);
    }
  }
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("an engine that cannot be used ends a command with status 69", async () => {
  const down = await runCommand(["status"], { KB_ENGINE_URL: "http://127.0.0.1:9" });
  assertEquals(down.code, 69);
  assertMatch(down.stderr, /unreachable.*Check that it runs and that KB_ENGINE_URL is right/);
  const paths: string[] = [];
  await using old = serve(({ url }) => {
    paths.push(new URL(url).pathname);
    return Response.json({ version: "2.9.0" });
  });
  const refused = await runCommand(["search", "kettle"], { KB_ENGINE_URL: old.url });
  assertEquals([refused.code, paths], [69, ["/api/v1/status"]]);
  assertMatch(refused.stderr, /has version 2\.9\.0, but kb-mcp needs 3\.0\.0 or later/);
});

Deno.test("commands work with an engine of another make", async () => {
  await using engine = serve(thirdPartyEngine());
  const env = { KB_ENGINE_URL: engine.url };
  const added = JSON.parse((await runCommand(["addnote", "The kettle is red."], env)).stdout);
  assertEquals(added.document_id, "doc-1");
  const document = await runCommand(["get", "doc-1", "--raw"], env);
  assertEquals(document.stdout, "The kettle is red.");
  const moved = await runCommand(["collection", "doc-1", "memory", "--no-json"], env);
  assertEquals(moved.stdout, "Moved document doc-1 from documents to memory.\n");
  const file = await Deno.makeTempFile({ prefix: "kb-mcp-test-", suffix: ".md" });
  await Deno.writeTextFile(file, "A file.");
  const { code, stdout } = await runCommand(["add", file], env);
  assertEquals([code, JSON.parse(stdout).stored], [0, 1]);
  await Deno.remove(file);
});

Deno.test("a closed pipe ends a command quietly", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  const closed = () => {
    throw new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  };
  const env = { KB_DATA_DIR: dataDir, KB_EMBEDDINGS_MODEL: "off" };
  assertEquals(await runCommand(["list"], env, { print: closed }), { code: 0, stdout: "", stderr: "" });
  await Deno.remove(dataDir, { recursive: true });
});
