/**
 * `deno task mcpb [--platform NAME]… [--no-package]`: packs extensions for Claude Desktop (MCP Bundles),
 * `dist/kb-mcp-NAME.mcpb`. `--no-package` uses the existing npm package.
 *
 * An extension contains the npm package and its dependency, Deno for one platform: the Node.js of Claude Desktop starts
 * it, and nothing is downloaded. Needs npm.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { tools } from "../src/tools/mod.ts";
import { VERSION } from "../src/version.ts";
import { bundle } from "./bundle.ts";
import { copyFolder, NPM_PACKAGE, type Project, readProject, writeNpmPackage } from "./npm_package.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** The official tool, which validates and packs. */
const MCPB_TOOL = "npm:@anthropic-ai/mcpb@2.1.2";

/** Platforms of Claude Desktop, with their names in npm. */
export const MCPB_PLATFORMS: Readonly<Record<string, { readonly os: string; readonly cpu: string }>> = {
  "darwin-arm64": { os: "darwin", cpu: "arm64" },
  "darwin-x64": { os: "darwin", cpu: "x64" },
  "win32-x64": { os: "win32", cpu: "x64" },
  "win32-arm64": { os: "win32", cpu: "arm64" },
  "linux-x64": { os: "linux", cpu: "x64" },
  "linux-arm64": { os: "linux", cpu: "arm64" },
};

/** Returns `manifest.json` (MCPB manifest 0.3). @param os Name of the operating system in npm. */
export function mcpbManifest({ description, repository }: Project, os: string): object {
  return {
    manifest_version: "0.3",
    name: "kb-mcp",
    display_name: "Knowledge base",
    version: VERSION,
    description,
    long_description:
      "Search your documents by words and by meaning, keep what Claude should remember apart from them, and add files. " +
      "Everything stays on this computer; the embedding model is part of the extension.",
    author: { name: "kb-mcp", url: repository.url },
    repository: { type: "git", url: `${repository.url}.git` },
    homepage: repository.url,
    documentation: `${repository.url}/blob/v${VERSION}/docs/clients.md`,
    support: `${repository.url}/issues`,
    server: {
      type: "node",
      entry_point: "server/start.cjs",
      mcp_config: {
        command: "node",
        args: ["${__dirname}/server/start.cjs", "stdio"],
        env: {
          KB_DATA_DIR: "${user_config.data_directory}",
          KB_MCP_URL: "${user_config.server_url}",
          KB_MCP_API_KEY: "${user_config.api_key}",
          KB_EMBEDDINGS_MODEL: "${user_config.embeddings}",
        },
      },
    },
    tools: tools.map(({ name, description }) => ({ name, description: description.split("\n", 1)[0] })),
    // Settings add tools.
    tools_generated: true,
    prompts_generated: true,
    keywords: ["knowledge base", "memory", "search", "documents"],
    license: "MIT",
    compatibility: { platforms: [os], runtimes: { node: ">=18.0.0" } },
    user_config: {
      data_directory: {
        type: "directory",
        title: "Data directory",
        description: "Folder of the documents and notes. Empty: kb-mcp in your user data directory",
        required: false,
      },
      server_url: {
        type: "string",
        title: "Server",
        description: "MCP endpoint of a running kb-mcp to use instead, such as https://kb.example.com/mcp",
        required: false,
        default: "",
      },
      api_key: {
        type: "string",
        title: "Key of the server",
        description: "Bearer token of that server (its KB_MCP_API_KEY)",
        required: false,
        sensitive: true,
        default: "",
      },
      embeddings: {
        type: "string",
        title: "Embedding model",
        description: "builtin, the name of an installed model, or off to search by words only",
        required: false,
        default: "builtin",
      },
    },
  };
}

/** Writes the files of an extension to a folder. */
export async function writeExtension(folder: string, platform: string): Promise<void> {
  const target = MCPB_PLATFORMS[platform];
  if (!target) {
    const names = Object.keys(MCPB_PLATFORMS).join(", ");
    throw new Error(`--platform must be one of ${names}, got ${platform}`);
  }
  await Deno.remove(folder, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const server = `${folder}/server`;
  await copyFolder(NPM_PACKAGE, server);
  await Deno.copyFile("packaging/mcpb/start.cjs", `${server}/start.cjs`);
  await run([
    "npm",
    "install",
    "--prefix",
    server,
    "--os",
    target.os,
    "--cpu",
    target.cpu,
    "--libc",
    "glibc",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
  ]);
  await Deno.remove(`${server}/node_modules/.bin`, { recursive: true });
  await Deno.remove(`${server}/node_modules/.package-lock.json`);
  const manifest = mcpbManifest(await readProject(), target.os);
  await Deno.writeTextFile(`${folder}/manifest.json`, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await Deno.copyFile("LICENSE", `${folder}/LICENSE`);
}

/** Validates and packs a folder with the official tool. */
export async function packExtension(folder: string, output: string): Promise<void> {
  const tool = ["deno", "run", "-A", "--no-config", "--no-lock", `${MCPB_TOOL}/mcpb`];
  await run([...tool, "validate", `${folder}/manifest.json`]);
  await run([...tool, "pack", folder, output]);
}

async function run(command: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command);
  if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${output}`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { platform: { type: "string", multiple: true }, "no-package": { type: "boolean" } },
  });
  if (!values["no-package"]) {
    await bundle();
    await writeNpmPackage();
  }
  for (const platform of values.platform ?? Object.keys(MCPB_PLATFORMS)) {
    const [folder, output] = [`dist/mcpb/${platform}`, `dist/kb-mcp-${platform}.mcpb`];
    await writeExtension(folder, platform);
    await packExtension(folder, output);
    print(`${output}  ${((await Deno.stat(output)).size / 1e6).toFixed(0)} MB`);
  }
}
