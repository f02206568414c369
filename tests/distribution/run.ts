/**
 * `deno task distribution`: checks what users install. Builds the npm package from the existing bundle, installs it with
 * npm and pnpm, runs it through npx in an empty directory, packs the extension for Claude Desktop with the
 * official tool and starts it, and validates server.json. Prints `N passed, N failed`.
 *
 * Needs Node.js and a registry of npm packages.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { basename } from "node:path";
import { Checks } from "../../scripts/checks.ts";
import { MCPB_PLATFORMS, packExtension, writeExtension } from "../../scripts/mcpb.ts";
import { NPM_PACKAGE, writeNpmPackage } from "../../scripts/npm_package.ts";
import { print } from "../../scripts/print.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { ServerProcess } from "../../scripts/server_process.ts";
import { VERSION } from "../../src/version.ts";
import { validateServerJson } from "./server_json.ts";
import { addNoteOverStdio } from "./stdio_client.ts";

/** A package manager with another layout of folders. */
const PNPM = "pnpm@10.34.8";

/** Maximum time from the end of npx to the end of the server, in milliseconds. */
const STOP_TIMEOUT_MS = 10_000;

const directory = await Deno.makeTempDir({ prefix: "kb-mcp-distribution-" });
const checks = new Checks("distribution");

async function run(command: readonly string[], cwd = directory): Promise<string> {
  const [program = "", ...args] = command;
  const { code, stdout, stderr } = await new Deno.Command(program, { args, cwd, env: { NO_COLOR: "1" } })
    .output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (code !== 0) throw new Error(`${command.join(" ")} exited with status ${code}:\n${out}${err}`);
  return out ?? "";
}

/** Creates an empty folder. */
async function emptyFolder(name: string): Promise<string> {
  await Deno.mkdir(`${directory}/${name}`);
  return `${directory}/${name}`;
}

/** Waits until nothing listens at a URL. */
async function waitUntilStopped(url: string): Promise<void> {
  const end = Date.now() + STOP_TIMEOUT_MS;
  for (;;) {
    try {
      await (await fetch(url)).body?.cancel();
    } catch {
      return;
    }
    assert(Date.now() < end, `${url} still responds`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Packs the npm package and returns the path of the archive. */
async function pack(): Promise<string> {
  await writeNpmPackage();
  const output = await run(["npm", "pack", "--json", "--pack-destination", directory], NPM_PACKAGE);
  const [{ filename, files }] = JSON.parse(output);
  const paths = files.map(({ path }: { path: string }) => path);
  for (
    const path of [
      "README.md",
      "LICENSE",
      "NOTICE",
      "licenses/Apache-2.0.txt",
      "program/main.js",
      "flags.json",
    ]
  ) {
    assert(paths.includes(path), path);
  }
  return `${directory}/${filename}`;
}

/** Installs the archive with npm and returns the path of the program. */
async function install(archive: string, folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/package.json`, "{}");
  await run(["npm", "install", "--no-audit", "--no-fund", archive], folder);
  return `${folder}/node_modules/.bin/kb-mcp`;
}

async function checkNpx(archive: string): Promise<void> {
  const folder = await emptyFolder("empty");
  await Deno.copyFile(archive, `${folder}/${basename(archive)}`);
  const env = {
    ...Deno.env.toObject(),
    KB_MCP_PORT: "0",
    KB_DATA_DIR: `${folder}/data`,
    KB_EMBEDDINGS_MODEL: "off",
  };
  await using server = await ServerProcess.start({
    command: ["npx", "-y", `./${basename(archive)}`, "serve"],
    directory: folder,
    env,
  });
  assertEquals((await fetch(`${server.url}/readyz`)).status, 200);
  // npx ends at once and leaves its child behind.
  await server.terminate();
  await waitUntilStopped(server.url);
}

async function checkExtension(): Promise<void> {
  const platform = `${Deno.build.os === "windows" ? "win32" : Deno.build.os}-${
    Deno.build.arch === "x86_64" ? "x64" : "arm64"
  }`;
  assert(platform in MCPB_PLATFORMS);
  const archive = `${directory}/kb-mcp.mcpb`;
  await writeExtension(`${directory}/extension`, platform);
  await packExtension(`${directory}/extension`, archive);
  const folder = await emptyFolder("unpacked");
  await run(["unzip", "-q", archive, "-d", folder]);
  const id = await addNoteOverStdio(["node", `${folder}/server/start.cjs`, "stdio"], {
    cwd: folder,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: folder,
      // Values of settings that the user left empty.
      KB_DATA_DIR: "${user_config.data_directory}",
      KB_MCP_URL: "",
      KB_MCP_API_KEY: "",
      KB_EMBEDDINGS_MODEL: "off",
    },
  });
  assertEquals(id, 1);
  assert((await Deno.stat(`${folder}/.local/share/kb-mcp`)).isDirectory);
}

try {
  const archive = await checks.check("npm pack makes the package", pack);
  const program = await checks.check(
    "npm installs it",
    async () => await install(archive, await emptyFolder("npm")),
  );
  await checks.check("the installed program serves, and reads PDF and DOCX files", async () => {
    const { code, output } = await runCommand([
      "deno",
      "run",
      "-A",
      "scripts/smoke/main.ts",
      "--executable",
      program,
    ]);
    assertEquals(code, 0, output);
  });
  await checks.check("the installed program serves over standard input and output", async () => {
    const cwd = await emptyFolder("stdio");
    const env = { PATH: Deno.env.get("PATH") ?? "", HOME: cwd, KB_EMBEDDINGS_MODEL: "off" };
    assertEquals(await addNoteOverStdio([program, "stdio"], { cwd, env }), 1);
  });
  await checks.check("the installed program returns the exit status", async () => {
    const { code, output } = await runCommand([program, "no-such-command"]);
    assertEquals(code, 64, output);
  });
  await checks.check("npx runs it in an empty directory, and stops it", () => checkNpx(archive));
  await checks.check(`${PNPM} installs it`, async () => {
    const folder = await emptyFolder("pnpm");
    await Deno.writeTextFile(`${folder}/package.json`, "{}");
    await run(["npx", "-y", PNPM, "add", archive], folder);
    const version = await run([`${folder}/node_modules/.bin/kb-mcp`, "--version"]);
    assertMatch(version, new RegExp(`^kb-mcp ${VERSION}$`, "m"));
  });
  await checks.check("the extension for Claude Desktop is valid and starts", checkExtension);
  const isChecked = await checks.check(
    "server.json matches the schema of the MCP registry",
    validateServerJson,
  );
  if (!isChecked) print("    skipped: the registry is not available as a Go module");
} catch (error) {
  // A failed check is already printed and counted.
  if (checks.failed === 0) throw error;
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${checks.passed} passed, ${checks.failed} failed`);
Deno.exit(checks.failed === 0 ? 0 : 1);
