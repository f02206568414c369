import type { UserFolders } from "./paths.ts";

/** How a client reaches kb-mcp. */
export interface ServerAddress {
  /** Command and arguments of `kb-mcp stdio`; undefined: over HTTP. */
  readonly command?: readonly string[] | undefined;
  /** Environment of the command, without the key. */
  readonly env: Readonly<Record<string, string>>;
  /** MCP endpoint, over HTTP. */
  readonly url: string;
  /** The key as the file contains it: a reference to the variable, or the key itself. Undefined: no key. */
  readonly key: string | undefined;
}

/** The settings of a server in a client's configuration. */
export type Entry = Readonly<Record<string, unknown>>;

/** A client that `kb-mcp connect` knows. */
export interface Client {
  /** Name on the command line. */
  readonly id: string;
  readonly title: string;
  /** Returns the path of its configuration for all projects. */
  readonly file: (folders: UserFolders) => string;
  readonly format: "jsonc" | "toml";
  /** Member of the configuration that contains the servers. */
  readonly container: string;
  /** Whether it connects over HTTP. */
  readonly hasHttp: boolean;
  /**
   * How the file refers to the environment variable KB_MCP_API_KEY. Undefined: the client has no references, so the
   * file would contain the key itself.
   */
  readonly keyReference: string | undefined;
  readonly entry: (address: ServerAddress) => Entry;
  /** Value that the client asks the user for, by reference (VS Code). */
  readonly input?: Entry & { readonly id: string };
  /** Next step of the user. */
  readonly next: string;
}

/** Members of an entry that `connect` manages. It leaves all others as they are. */
export const MANAGED_MEMBERS: readonly string[] = [
  "type",
  "url",
  "httpUrl",
  "serverUrl",
  "headers",
  "command",
  "args",
  "env",
  "bearer_token_env_var",
  "env_vars",
];

const KEY = "KB_MCP_API_KEY";

/** Returns an entry in the form that most clients share. */
function commonEntry(
  { command, env, url, key }: ServerAddress,
  { urlMember, types }: { urlMember: string; types: boolean },
): Entry {
  if (command) {
    const [program, ...args] = command;
    const environment = key === undefined ? env : { ...env, [KEY]: key };
    return {
      ...(types ? { type: "stdio" } : {}),
      command: program,
      args,
      ...(Object.keys(environment).length === 0 ? {} : { env: environment }),
    };
  }
  return {
    ...(types ? { type: "http" } : {}),
    [urlMember]: url,
    ...(key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }),
  };
}

/** Codex names environment variables in members of their own. */
function codexEntry({ command, env, url, key }: ServerAddress): Entry {
  if (!command) return { url, ...(key === undefined ? {} : { bearer_token_env_var: KEY }) };
  const [program, ...args] = command;
  return {
    command: program,
    args,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(key === undefined ? {} : { env_vars: [KEY] }),
  };
}

/** The clients, in the order of the documentation. */
export const CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    file: ({ join, home }) => join(home, ".claude.json"),
    format: "jsonc",
    container: "mcpServers",
    hasHttp: true,
    keyReference: `\${${KEY}}`,
    entry: (address) => commonEntry(address, { urlMember: "url", types: true }),
    next: "Start a new session, and check with /mcp or `claude mcp list`.",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    file: ({ join, applications }) => join(applications, "Claude", "claude_desktop_config.json"),
    format: "jsonc",
    container: "mcpServers",
    hasHttp: false,
    keyReference: undefined,
    entry: (address) => commonEntry(address, { urlMember: "url", types: false }),
    next: "Restart Claude Desktop.",
  },
  {
    id: "cursor",
    title: "Cursor",
    file: ({ join, home }) => join(home, ".cursor", "mcp.json"),
    format: "jsonc",
    container: "mcpServers",
    hasHttp: true,
    keyReference: `\${env:${KEY}}`,
    entry: (address) => commonEntry(address, { urlMember: "url", types: false }),
    next: "Cursor connects at once; see Settings → Tools & MCP.",
  },
  {
    id: "vscode",
    title: "VS Code",
    file: ({ join, applications }) => join(applications, "Code", "User", "mcp.json"),
    format: "jsonc",
    container: "servers",
    hasHttp: true,
    keyReference: "${input:kb-mcp-key}",
    entry: (address) => commonEntry(address, { urlMember: "url", types: true }),
    input: { type: "promptString", id: "kb-mcp-key", description: KEY, password: true },
    next: "VS Code starts the server with the next chat.",
  },
  {
    id: "codex",
    title: "Codex",
    file: ({ join, home }) => join(home, ".codex", "config.toml"),
    format: "toml",
    container: "mcp_servers",
    hasHttp: true,
    keyReference: KEY,
    entry: codexEntry,
    next: "Start a new session, and check with `codex mcp list`.",
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    file: ({ join, home }) => join(home, ".gemini", "settings.json"),
    format: "jsonc",
    container: "mcpServers",
    hasHttp: true,
    keyReference: `$${KEY}`,
    // `url` would mean the old SSE transport.
    entry: (address) => commonEntry(address, { urlMember: "httpUrl", types: false }),
    next: "Start a new session, and check with /mcp or `gemini mcp list`.",
  },
  {
    id: "zed",
    title: "Zed",
    file: ({ join, config, home }) =>
      config.startsWith(home) && !config.includes("\\")
        ? join(config, "zed", "settings.json")
        : join(config, "Zed", "settings.json"),
    format: "jsonc",
    container: "context_servers",
    hasHttp: true,
    keyReference: undefined,
    entry: (address) => commonEntry(address, { urlMember: "url", types: false }),
    next: "Zed connects at once; see the settings of the Agent Panel.",
  },
  {
    id: "windsurf",
    title: "Windsurf",
    file: ({ join, home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    format: "jsonc",
    container: "mcpServers",
    hasHttp: true,
    keyReference: `\${env:${KEY}}`,
    entry: (address) => commonEntry(address, { urlMember: "serverUrl", types: false }),
    next: "Refresh the servers in Windsurf's MCP settings.",
  },
];
