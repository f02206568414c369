import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { CLIENTS } from "../../../src/cli/connect_client/clients.ts";
import { stdioCommandLine } from "../../../src/cli/connect_client/own_command.ts";
import { userFolders } from "../../../src/cli/connect_client/paths.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { createContext } from "../../../src/cli/context.ts";
import { startTestServer } from "../../support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary_folder.ts";
import { runCommand } from "../run_command.ts";

const KEY = "s3cret-key";

async function connect(home: TemporaryFolder, args: string[], env: Record<string, string> = {}) {
  return await runCommand(["connect", ...args], { HOME: home.path, ...env });
}

/** Returns the entry in a client's configuration. */
async function entryOf(home: TemporaryFolder, id: string): Promise<Record<string, unknown> | undefined> {
  const client = CLIENTS.find((each) => each.id === id)!;
  const folders = userFolders(Deno.build.os, (name) => name === "HOME" ? home.path : undefined);
  const text = await Deno.readTextFile(client.file(folders));
  const root = client.format === "toml" ? parseToml(text) : parse(text);
  return (root as Record<string, Record<string, Record<string, unknown>>>)[client.container]?.["kb"];
}

Deno.test("connect knows the clients that its help lists", () => {
  const command = createProgram(createContext({
    env: {},
    writeOut: () => {},
    writeError: () => {},
    isTerminal: false,
  })).commands.find((each) => each.name() === "connect");
  assertEquals(command?.registeredArguments[0]?.argChoices, CLIENTS.map(({ id }) => id));
});

for (const { id, hasHttp, keyReference } of CLIENTS) {
  Deno.test(`connect ${id} prints an entry, writes it once, keeps it up to date and removes it`, async () => {
    await using home = await temporaryFolder();
    const env = { KB_MCP_API_KEY: KEY };
    const printed = await connect(home, [id], env);
    assertEquals(printed.code, 0, printed.stderr);
    assertStringIncludes(printed.stdout, home.path);
    assert(!printed.stdout.includes(KEY), printed.stdout);
    assertEquals(await Array.fromAsync(Deno.readDir(home.path)), []);

    const removed = await connect(home, [id, "--remove", "--yes"]);
    assertEquals([removed.code, removed.stdout.includes("nothing to change")], [0, true]);
    assertEquals(await Array.fromAsync(Deno.readDir(home.path)), []);

    const url = "http://127.0.0.1:9999/mcp";
    const write = [id, "--write", "--yes", "--url", url];
    const written = await connect(home, write, env);
    assertEquals(written.code, 0, written.stderr);
    assert(!written.stdout.includes(KEY), written.stdout);
    const entry = JSON.stringify(await entryOf(home, id));
    assertStringIncludes(entry, url);
    assertEquals(entry.includes(KEY), keyReference === undefined, entry);
    assertEquals(written.stderr.includes("contains the key"), keyReference === undefined);
    if (keyReference !== undefined) assertStringIncludes(entry, keyReference);
    if (!hasHttp) assertStringIncludes(entry, '"--url"');
    assertStringIncludes((await connect(home, write, env)).stdout, "nothing to change");

    const local = await connect(home, [id, "--write", "--yes", "--stdio"], { KB_DATA_DIR: "/srv/kb" });
    assertEquals(local.code, 0, local.stderr);
    const { command, env: settings } = await entryOf(home, id) as { command: string; env: object };
    assertEquals([command, { ...settings }], [Deno.execPath(), { KB_DATA_DIR: "/srv/kb" }]);
    assertEquals(JSON.stringify(await entryOf(home, id)).includes("9999"), false);

    assertEquals((await connect(home, [id, "--remove", "--yes"])).code, 0);
    assertEquals(await entryOf(home, id), undefined);
  });
}

Deno.test("connect names the server that uses the data directory, unless a setting or flag names another", async () => {
  await using home = await temporaryFolder();
  const env = { KB_DATA_DIR: `${home.path}/kb`, KB_MCP_PORT: "9" };
  const urlOf = async (args: string[] = [], more: Record<string, string> = {}) =>
    /"(http[^"]*)"/.exec((await connect(home, ["cursor", ...args], { ...env, ...more })).stdout)?.[1];
  {
    await using server = await startTestServer({ env: { KB_DATA_DIR: env.KB_DATA_DIR } });
    assertEquals(await urlOf(), `${server.url}/mcp`);
    assertEquals(await urlOf(["--url", "http://kb.example/mcp"]), "http://kb.example/mcp");
    assertEquals(await urlOf([], { KB_MCP_URL: "http://kb.example/mcp" }), "http://kb.example/mcp");
    assertEquals(await urlOf([], { KB_MCP_PUBLIC_URL: "https://kb.example" }), "https://kb.example/mcp");
    assertEquals(await urlOf([], { KB_ENGINE_URL: "http://kb.example" }), "http://127.0.0.1:9/mcp");
    // The directory may be that of another user, who has answered the challenge.
    const file = JSON.parse(await Deno.readTextFile(`${env.KB_DATA_DIR}/local.json`));
    for (const mcp of ["http://192.0.2.2:8808/mcp", "no URL"]) {
      await Deno.writeTextFile(`${env.KB_DATA_DIR}/local.json`, JSON.stringify({ ...file, mcp }));
      assertEquals(await urlOf(), "http://127.0.0.1:9/mcp");
    }
    await Deno.writeTextFile(`${env.KB_DATA_DIR}/local.json`, JSON.stringify(file));
    // The server was killed, and its file stayed.
    await Deno.copyFile(`${env.KB_DATA_DIR}/local.json`, `${home.path}/local.json`);
  }
  await Deno.copyFile(`${home.path}/local.json`, `${env.KB_DATA_DIR}/local.json`);
  assertEquals(await urlOf(), "http://127.0.0.1:9/mcp");
});

Deno.test("connect writes a key so that only its owner can read it, and keeps a copy of the file", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using home = await temporaryFolder();
  const file = `${home.path}/dotfiles/zed.json`;
  await home.write("dotfiles/zed.json", '{ "theme": "One" }\n');
  await Deno.chmod(file, 0o644);
  await Deno.mkdir(`${home.path}/zed`);
  await Deno.symlink(file, `${home.path}/zed/settings.json`);
  const args = ["zed", "--file", `${home.path}/zed/settings.json`, "--write", "--yes"];
  const { code, stderr } = await connect(home, [...args, "--url", "https://kb.example.com/mcp"], {
    KB_MCP_API_KEY: KEY,
  });
  assertEquals(code, 0, stderr);
  assert((await Deno.lstat(`${home.path}/zed/settings.json`)).isSymlink);
  assertStringIncludes(await Deno.readTextFile(file), KEY);
  assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
  assertEquals(await Deno.readTextFile(`${file}.kb-mcp-backup`), '{ "theme": "One" }\n');
  assertEquals((await Array.fromAsync(Deno.readDir(`${home.path}/dotfiles`))).length, 2);
});

Deno.test("connect leaves files alone that are broken or have another server of the same name", async () => {
  await using home = await temporaryFolder();
  const cases: [client: string, text: string, problem: RegExp][] = [
    ["cursor", '{\n  "mcpServers": {\n', /must be valid JSON, got CloseBraceExpected in line 3/],
    ["cursor", "[]", /must be an object/],
    ["cursor", '{ "mcpServers": [] }', /mcpServers must be an object/],
    ["cursor", '{ "mcpServers": { "kb": { "command": "kibana" } } }', /another server "kb": set --name/],
    ["codex", "[mcp_servers.kb\n", /must be valid TOML/],
    ["codex", '[mcp_servers.kb]\ncommand = "kibana"\n', /another server "kb"/],
    ["codex", 'mcp_servers = { kb = { url = "http://127.0.0.1:1/mcp" } }\n', /edit it by hand/],
  ];
  for (const [client, text, problem] of cases) {
    await home.write("file", text);
    const { code, stderr } = await connect(home, [
      client,
      "--file",
      `${home.path}/file`,
      "--write",
      "--yes",
    ]);
    assertEquals(code, 1, text);
    assertMatch(stderr, problem);
    assertEquals(await Deno.readTextFile(`${home.path}/file`), text);
  }
});

Deno.test("connect says where the key must be set for a client that reads it from its environment", async () => {
  await using home = await temporaryFolder();
  const says = async (client: string, env: Record<string, string>) =>
    (await connect(home, [client], env)).stdout.includes("Set KB_MCP_API_KEY in the environment of ");
  assertEquals(await says("cursor", {}), false);
  for (const client of ["claude-code", "cursor", "codex", "gemini", "windsurf"]) {
    assertEquals(await says(client, { KB_MCP_API_KEY: KEY }), true, client);
  }
  for (const client of ["vscode", "zed"]) assertEquals(await says(client, { KB_MCP_API_KEY: KEY }), false);
});

Deno.test("connect refers to the key of a running server that requires one, also if it is not set here", async () => {
  await using home = await temporaryFolder();
  await using server = await startTestServer({ env: { KB_MCP_API_KEY: KEY } });
  const url = `${server.url}/mcp`;
  for (const { id, hasHttp, keyReference } of CLIENTS) {
    const { code, stdout, stderr } = await connect(home, [id, "--url", url]);
    if (keyReference === undefined) {
      assertEquals(code, 64);
      assertMatch(stderr, /KB_MCP_API_KEY must be set to your key: http\S+ requires one/);
    } else assertStringIncludes(stdout, hasHttp ? keyReference : "KB_MCP_API_KEY");
  }
  // The address of the proxy in front of a server with named keys.
  const team = { KB_MCP_KEYS: `${home.path}/keys.json`, KB_MCP_PUBLIC_URL: "https://kb.example" };
  assertStringIncludes((await connect(home, ["cursor"], team)).stdout, "${env:KB_MCP_API_KEY}");
  assertEquals((await connect(home, ["zed", "--remove", "--yes"], team)).code, 0);
});

Deno.test("connect says that VS Code asks for the key, if there is one", async () => {
  await using home = await temporaryFolder();
  for (const [env, asks] of [[{}, false], [{ KB_MCP_API_KEY: KEY }, true]] as const) {
    const { stdout } = await connect(home, ["vscode"], env);
    assertEquals(stdout.includes("VS Code asks for the key once."), asks);
  }
});

Deno.test("connect asks before it writes", async () => {
  await using home = await temporaryFolder();
  const { code, stdout, stderr } = await connect(home, ["cursor", "--write"]);
  assertEquals(code, 64);
  assertStringIncludes(stdout, '+  "mcpServers"');
  assertStringIncludes(stderr, "--yes must be set");
  assertEquals(await Array.fromAsync(Deno.readDir(home.path)), []);
  assertEquals((await connect(home, ["emacs"])).code, 64);
});

Deno.test("clients keep their configuration where each system has it", () => {
  const folders = {
    linux: userFolders("linux", (name) => name === "HOME" ? "/home/ada" : undefined),
    darwin: userFolders("darwin", (name) => name === "HOME" ? "/Users/ada" : undefined),
    windows: userFolders(
      "windows",
      (name) => name === "LOCALAPPDATA" ? String.raw`C:\Users\ada\AppData\Local` : undefined,
    ),
  };
  const file = (id: string, os: keyof typeof folders) =>
    CLIENTS.find((client) => client.id === id)?.file(folders[os]);
  assertEquals(
    file("claude-desktop", "darwin"),
    "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
  );
  assertEquals(
    file("claude-desktop", "windows"),
    String.raw`C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`,
  );
  assertEquals(file("vscode", "linux"), "/home/ada/.config/Code/User/mcp.json");
  assertEquals(file("zed", "darwin"), "/Users/ada/.config/zed/settings.json");
  assertEquals(file("zed", "windows"), String.raw`C:\Users\ada\AppData\Roaming\Zed\settings.json`);
  assertEquals(file("codex", "windows"), String.raw`C:\Users\ada\.codex\config.toml`);
});

Deno.test("clients start this program however it is installed", () => {
  const execPath = "/opt/kb-mcp";
  assertEquals(stdioCommandLine({ isStandalone: true, execPath, module: "file:///x/main.js" }), [
    execPath,
    "stdio",
  ]);
  const packaged = (module: string) => stdioCommandLine({ isStandalone: false, execPath, module });
  assertEquals(packaged("file:///usr/my%20lib/node_modules/kb-mcp/program/chunk-A.js"), [
    "node",
    "/usr/my lib/node_modules/kb-mcp/kb-mcp.cjs",
    "stdio",
  ]);
  for (
    const folder of [
      "x",
      "home/ada/.npm/_npx/1f/node_modules/kb-mcp/program",
      "tmp/bunx-1000-kb-mcp@latest/node_modules/kb-mcp/program",
      "home/ada/p/.yarn/unplugged/kb-mcp-npm-3.0.0-1/node_modules/kb-mcp/program",
      "home/ada/.cache/pnpm/dlx-12/node_modules/kb-mcp/program",
      "usr/lib/node_modules/.pnpm/kb-mcp@3.0.0/node_modules/kb-mcp/program",
    ]
  ) {
    assertEquals(packaged(`file:///${folder}/chunk-A.js`), ["npx", "-y", "kb-mcp", "stdio"]);
  }
  assertEquals(stdioCommandLine().slice(-2).map((part) => part.split("/").at(-1)), ["main.ts", "stdio"]);
});

Deno.test("connect prints no control characters of a configuration or of an argument", async () => {
  await using home = await temporaryFolder({ "mcp.json": "{\n  // \x1b]0;title\x07\x1b[2J\n}\n" });
  const args = ["cursor", "--file", `${home.path}/mcp.json`, "--write", "--yes"];
  const { stdout } = await connect(home, args);
  assertStringIncludes(stdout, "// ]0;title[2J");
  const { stderr } = await connect(home, ["cursor", "--file", `${home.path}/mcp.json`, "--url", "\x9b31m"]);
  // deno-lint-ignore no-control-regex -- looks for control characters
  assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(stdout + stderr), false, stderr);
  assertStringIncludes(stderr, "--url");
});

Deno.test("connect follows no link at the name of its copy, and masks a key with quotes", async () => {
  await using home = await temporaryFolder({ "mcp.json": "{}\n", "victim": "mine" });
  const path = `${home.path}/mcp.json`;
  await Deno.symlink(`${home.path}/victim`, `${path}.kb-mcp-backup`);
  const args = ["zed", "--file", path, "--url", "http://kb.example/mcp", "--write", "--yes"];
  const { stdout } = await connect(home, args, { KB_MCP_API_KEY: 'quo"ted\\key-0123456789' });
  assertStringIncludes(stdout, "Bearer <KB_MCP_API_KEY>");
  assertEquals(await Deno.readTextFile(`${home.path}/victim`), "mine");
  assertEquals(await Deno.readTextFile(`${path}.kb-mcp-backup`), "{}\n");
});
