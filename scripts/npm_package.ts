/**
 * `deno task package [--no-bundle]`: writes the npm package of kb-mcp to `dist/npm` and `dist/kb-mcp-VERSION.tgz`: the
 * bundle, and a program that starts it with the `deno` package. `--no-bundle` uses the existing bundle.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { z } from "zod";
import { listModelFiles } from "../src/models/mod.ts";
import { VERSION } from "../src/version.ts";
import { bundle, BUNDLE_FOLDER } from "./bundle.ts";
import { RUN_PERMISSIONS, RUNTIME_FLAGS } from "./permissions.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Folder of the package. */
export const NPM_PACKAGE = "dist/npm";

/** The program of the package, relative to it. */
const LAUNCHER = "kb-mcp.cjs";

/** The part of `server.json` that other files repeat. */
const ServerJson = z.object({
  name: z.string(),
  description: z.string(),
  repository: z.object({ url: z.string() }),
});

/** Name, description and repository of kb-mcp in the MCP registry, from `server.json`. */
export type Project = z.infer<typeof ServerJson>;

/** Reads {@linkcode Project}. */
export async function readProject(): Promise<Project> {
  return ServerJson.parse(JSON.parse(await Deno.readTextFile("server.json")));
}

/** Flags of `deno run` for the installed program. */
export const LAUNCHER_FLAGS: readonly string[] = [
  "--quiet",
  // The folder of a user who starts the program may contain a deno.json, a lock file or packages.
  "--no-config",
  "--no-lock",
  "--node-modules-dir=none",
  // The bundle is complete: no code may be downloaded.
  "--cached-only",
  "--no-remote",
  ...RUN_PERMISSIONS,
  ...RUNTIME_FLAGS,
];

/** Returns `package.json` of the package. @param deno Version of the `deno` package. */
export function packageJson({ name, description, repository }: Project, deno: string): object {
  return {
    name: "kb-mcp",
    version: VERSION,
    // The MCP registry checks that the owner of the npm package is that of the entry.
    mcpName: name,
    description,
    keywords: ["mcp", "mcp-server", "knowledge-base", "memory", "search", "rag", "ai", "agents"],
    license: "(MIT AND Apache-2.0)",
    homepage: `${repository.url}#readme`,
    bugs: `${repository.url}/issues`,
    repository: { type: "git", url: `git+${repository.url}.git` },
    bin: { "kb-mcp": LAUNCHER },
    files: [LAUNCHER, "flags.json", "program", "NOTICE", "licenses"],
    engines: { node: ">=18" },
    dependencies: { deno },
  };
}

/** Writes the package from {@linkcode BUNDLE_FOLDER}. */
export async function writeNpmPackage(): Promise<void> {
  await Deno.remove(NPM_PACKAGE, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(`${NPM_PACKAGE}/licenses`, { recursive: true });
  const deno = (await Deno.readTextFile(".dvmrc")).trim();
  await writeJson("package.json", packageJson(await readProject(), deno));
  await writeJson("flags.json", { flags: LAUNCHER_FLAGS });
  await copyFolder(BUNDLE_FOLDER, `${NPM_PACKAGE}/program`);
  await copyFolder("licenses", `${NPM_PACKAGE}/licenses`);
  for (const name of [LAUNCHER, "README.md"]) {
    await Deno.copyFile(`packaging/npm/${name}`, `${NPM_PACKAGE}/${name}`);
  }
  for (const name of ["LICENSE", "NOTICE"]) await Deno.copyFile(name, `${NPM_PACKAGE}/${name}`);
}

/** Copies the files of a folder. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isFile } of Deno.readDir(from)) {
    if (isFile) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    else await copyFolder(`${from}/${name}`, `${to}/${name}`);
  }
}

async function writeJson(name: string, value: object): Promise<void> {
  await Deno.writeTextFile(`${NPM_PACKAGE}/${name}`, `${JSON.stringify(value, undefined, 2)}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "no-bundle": { type: "boolean" } } });
  if (!values["no-bundle"]) await bundle();
  await writeNpmPackage();
  const { code, output } = await runCommand([
    "npm",
    "pack",
    `./${NPM_PACKAGE}`,
    "--pack-destination",
    "dist",
    "--silent",
  ]);
  if (code !== 0) throw new Error(`Cannot pack ${NPM_PACKAGE}:\n${output}`);
  const models = (await listModelFiles(`${NPM_PACKAGE}/program`)).map(({ name }) => name).join(", ");
  print(`dist/kb-mcp-${VERSION}.tgz  with ${models || "no embedding model: deno task model makes it"}`);
}
