import { describeSettings } from "../config/mod.ts";
import { VERSION } from "../version.ts";

const COMMANDS: readonly [string, string][] = [
  ["serve", "Serve MCP at http://KB_MCP_HOST:KB_MCP_PORT/mcp (what kb-mcp alone does)"],
  ["engine", "Serve the embedded engine's HTTP API alone, for KB_ENGINE_URL of another kb-mcp"],
  [
    "healthcheck [engine]",
    "Exit 0 when the server of this configuration answers, for a container's HEALTHCHECK",
  ],
  [
    "eval DIR...",
    "Measure search with questions and judgements of yours (see README.md): nDCG, MAP, recall, latency.\n" +
    `${" ".repeat(24)}--mode fts|hybrid|vector, --json FILE, --baseline FILE [--update], --verbose`,
  ],
  [
    "reindex",
    "Embed all chunks anew, beside a running engine or without: after a change of the embedding model",
  ],
  ["help, --help", "Print this"],
  ["version, --version", "Print the version"],
];

/** The text of `--help`. */
export function help(): string {
  const commands = COMMANDS.map(([name, text]) => `  ${name.padEnd(22)}${text}`).join("\n");
  const settings = describeSettings().map(({ name, default: value, secret, help }) => {
    const also = secret ? ` Also as ${name}_FILE.` : "";
    const unset = value === undefined ? "" : ` [${value}]`;
    return `  ${name}${unset}\n      ${help}${also}`;
  }).join("\n");
  return `kb-mcp ${VERSION}: a knowledge base for AI agents, over MCP

Usage: kb-mcp [COMMAND]

Commands:
${commands}

Settings (environment variables, [default]):
${settings}

Durations: 500ms, 3s, 10m; a bare number counts seconds. Sizes: 64KiB, 8MiB, 1GiB.
`;
}
