import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { expiryOption } from "../../../src/cli/key/expiry.ts";
import { updateKeyFile } from "../../../src/cli/key/update_key_file.ts";
import { hashOfKey, readKeyFile, SCOPES } from "../../../src/keys/mod.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { createContext } from "../../../src/cli/context.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import { runCommand } from "../run_command.ts";

function runner(folder: TemporaryFolder) {
  const path = `${folder.path}/team/keys.json`;
  const run = (...args: string[]) => runCommand(["key", ...args], { KB_MCP_KEYS: path });
  return { path, run };
}

Deno.test("key add prints the key alone on standard output, and stores its hash in a private file", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  const { code, stdout, stderr } = await run("add", "alice", "--scope", "add", "--expires", "2999-01-31");
  assertEquals(code, 0, stderr);
  assertMatch(stdout, /^kbm_[0-9a-f]{64}\n$/);
  assertEquals(
    stderr,
    "kb-mcp: Added the key alice (scope add, expires at 2999-01-31T00:00:00.000Z). It is not shown again\n",
  );
  const [key] = (await readKeyFile(path)).keys;
  assertEquals([key?.name, key?.scope, key?.sha256], ["alice", "add", hashOfKey(stdout.trimEnd())]);
  if (Deno.build.os !== "windows") assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  const left = (await Array.fromAsync(Deno.readDir(`${folder.path}/team`))).map(({ name }) => name);
  assertEquals(left.sort(), ["keys.json", "keys.json.lock"]);
});

Deno.test("key rotate, change and remove change one key, and list shows the rest", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  const first = (await run("add", "alice")).stdout;
  await run("add", "bob", "--scope", "write");
  const second = (await run("rotate", "alice")).stdout;
  assertMatch(second, /^kbm_[0-9a-f]{64}\n$/);
  const hashes = (await readKeyFile(path)).keys.map(({ sha256 }) => sha256);
  assertEquals(hashes[0], hashOfKey(second.trimEnd()));
  assertEquals(hashes.includes(hashOfKey(first.trimEnd())), false);
  const changed = await run("change", "alice", "--scope", "write", "--expires", "90d");
  assertEquals([changed.code, changed.stdout], [0, ""]);
  assertEquals((await readKeyFile(path)).keys[0]?.sha256, hashes[0], "the key itself stays");
  assertEquals((await run("remove", "bob")).code, 0);
  const { keys } = JSON.parse((await run("list", "--json")).stdout);
  assertEquals(keys.map(({ name, scope, expired }: Record<string, unknown>) => [name, scope, expired]), [
    ["alice", "write", false],
  ]);
  assertMatch((await run("list", "--no-json")).stdout, /^NAME +SCOPE +CREATED +EXPIRES\nalice +write +\d/);
  assertEquals((await run("change", "alice", "--expires", "never")).code, 0);
  assertEquals((await readKeyFile(path)).keys[0]?.expires_at, undefined);
});

Deno.test("an expired key is listed as such, and rotated with a new expiry only", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  await run("add", "alice");
  const past = "2026-01-01T00:00:00.000Z";
  await updateKeyFile(path, (keys) => keys.map((key) => ({ ...key, expires_at: past })));
  assertStringIncludes((await run("list", "--no-json")).stdout, `expired ${past}`);
  const { code, stdout, stderr } = await run("rotate", "alice");
  assertEquals([code, stdout], [64, ""]);
  assertMatch(stderr, /--expires must be given: the key alice has expired/);
  assertEquals((await run("rotate", "alice", "--expires", "1d")).code, 0);
});

Deno.test("changes at the same time lose nothing", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  const names = Array.from({ length: 12 }, (_, i) => `key-${i}`);
  const results = await Promise.all(names.map((name) => run("add", name)));
  assertEquals(results.map(({ code }) => code), names.map(() => 0));
  assertEquals((await readKeyFile(path)).keys.map(({ name }) => name).sort(), names.toSorted());
});

Deno.test("a change that fails leaves the file as it is", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  await run("add", "alice");
  const before = await Deno.readTextFile(path);
  const cases: [args: string[], status: number, message: RegExp][] = [
    [["add", "alice"], 64, /there is a key alice: use kb-mcp key rotate or change/],
    [["add", "Alice Smith"], 64, /NAME must be 1–40 lower-case letters/],
    [["add", "default"], 64, /NAME must not be default/],
    [["add", "x", "--scope", "admin"], 64, /--scope must be one of read, add, write, got "admin"/],
    [["add", "x", "--expires", "2020-01-01"], 64, /--expires must be in the future/],
    [["add", "x", "--expires", "soon"], 64, /--expires must be a date such as/],
    [["rotate", "bob"], 64, /NAME must be a key of kb-mcp key list, got "bob"/],
    [["remove", "bob"], 64, /NAME must be a key of kb-mcp key list, got "bob"/],
    [["change", "alice"], 64, /At least one of --scope and --expires/],
  ];
  for (const [args, status, message] of cases) {
    const { code, stdout, stderr } = await run(...args);
    assertMatch(stderr, message);
    assertEquals([code, stdout], [status, ""]);
  }
  assertEquals(await Deno.readTextFile(path), before);
  await Deno.writeTextFile(path, "{");
  const { code, stderr } = await run("add", "bob");
  assertEquals(code, 1);
  assertMatch(stderr, /Cannot use the keys file ".*keys\.json" \(KB_MCP_KEYS\): It must be JSON/);
  assertEquals(await Deno.readTextFile(path), "{");
});

Deno.test({
  name: "a link to the keys file stays a link, and a group that may read it keeps that",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await temporaryFolder({ "real.json": '{"version":1,"keys":[]}' });
    await Deno.chmod(`${folder.path}/real.json`, 0o640);
    await Deno.symlink(`${folder.path}/real.json`, `${folder.path}/link.json`);
    const { code, stderr } = await runCommand(["key", "add", "alice"], {
      KB_MCP_KEYS: `${folder.path}/link.json`,
    });
    assertEquals(code, 0, stderr);
    assertEquals((await Deno.lstat(`${folder.path}/link.json`)).isSymlink, true);
    assertEquals((await readKeyFile(`${folder.path}/real.json`)).keys.length, 1);
    assertEquals((await Deno.stat(`${folder.path}/real.json`)).mode! & 0o777, 0o640);
  },
});

Deno.test({
  name: "a lock that is a pipe or a link is refused and not opened",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await temporaryFolder();
    const { path, run } = runner(folder);
    await Deno.mkdir(`${folder.path}/team`);
    const expected = `kb-mcp: Cannot lock ${
      JSON.stringify(`${path}.lock`)
    }: it must be a file. Remove it, then try again\n`;
    await Deno.symlink("/dev/null", `${path}.lock`);
    assertEquals(await run("add", "alice"), { code: 1, stdout: "", stderr: expected });
    await Deno.remove(`${path}.lock`);
    await new Deno.Command("mkfifo", { args: [`${path}.lock`] }).output();
    assertEquals(await run("add", "alice"), { code: 1, stdout: "", stderr: expected });
  },
});

Deno.test("without KB_MCP_KEYS, the commands say what to set; an empty or mistaken setting is an error", async () => {
  const messages = await Promise.all(
    [{}, { KB_MCP_KEYS: " " }, { KB_MCP_KEYS_FILE: "/run/secrets/keys" }].map(async (env) => {
      const { code, stderr } = await runCommand(["key", "list"], env);
      assertEquals(code, 64);
      return stderr;
    }),
  );
  assertMatch(messages[0]!, /KB_MCP_KEYS must be set to the path of the keys file/);
  assertMatch(messages[1]!, /KB_MCP_KEYS must not be empty/);
  assertMatch(messages[2]!, /KB_MCP_KEYS_FILE must not be set: KB_MCP_KEYS itself is the path/);
});

Deno.test("--scope offers the scopes of keys", () => {
  const io = { env: {}, writeOut() {}, writeError() {}, isTerminal: false };
  const key = createProgram(createContext(io)).commands.find((command) => command.name() === "key");
  const add = key?.commands.find((command) => command.name() === "add");
  assertEquals(add?.options.find(({ long }) => long === "--scope")?.argChoices, [...SCOPES]);
});

Deno.test("--expires is a day of the calendar, a time, or a duration", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  assertEquals(expiryOption("12h", now), "2026-03-02T00:00:00.000Z");
  assertEquals(expiryOption("2w", now), "2026-03-15T12:00:00.000Z");
  assertEquals(expiryOption("2026-04-01T09:30Z", now), "2026-04-01T09:30:00.000Z");
  assertEquals(expiryOption("never", now), undefined);
  for (
    const text of [
      "2027-02-30",
      "2027-1-1",
      "2027-01-01T00:00:00",
      "1y",
      "90",
      "-1d",
      "2027-01-01T25:00Z",
      "",
    ]
  ) {
    let message = "";
    try {
      expiryOption(text, now);
    } catch (error) {
      message = (error as Error).message;
    }
    assertMatch(message, /^--expires must be a date/, text);
  }
});

Deno.test("doctor reports keys: none, expired, damaged", async () => {
  await using folder = await temporaryFolder();
  const { path, run } = runner(folder);
  const env = {
    KB_MCP_KEYS: path,
    KB_DATA_DIR: `${folder.path}/data`,
    KB_MCP_PORT: "0",
    KB_EMBEDDINGS_MODEL: "off",
  };
  const check = async () => {
    const { checks } = JSON.parse((await runCommand(["doctor", "--json"], env)).stdout);
    const { state, message } = checks.find(({ name }: { name: string }) => name === "keys");
    return [state, message.replace(/^".*?"/, "FILE")];
  };
  assertEquals(await check(), ["warn", "FILE has no keys: none is accepted"]);
  await run("add", "alice");
  assertEquals(await check(), ["ok", "FILE has 1 key"]);
  await updateKeyFile(
    path,
    (keys) => keys.map((key) => ({ ...key, expires_at: "2026-01-01T00:00:00.000Z" })),
  );
  assertEquals(await check(), ["warn", "FILE has 1 key, of which have expired: alice"]);
  await Deno.writeTextFile(path, "[]");
  assertEquals((await check())[0], "fail");
});
