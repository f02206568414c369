/** Options of {@linkcode banner}. */
export interface BannerOptions {
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Whether the server has a web page, at the path above the endpoint. */
  readonly hasPage?: boolean;
  /** Whether agents must send a bearer token. */
  readonly hasKey: boolean;
  /** File that the token is read from; undefined: it is not read from a file. */
  readonly keyFile?: string | undefined;
  /** URL of the engine, or the data directory of the embedded one. */
  readonly engine: string;
  /** Command line of this program. @default {"kb-mcp"} */
  readonly command?: string;
}

/** Returns the command line that the README names for this program: in a clone, nothing is installed as `kb-mcp`. */
export function ownCommand(module: string = import.meta.url): string {
  return module.endsWith(".ts") && !Deno.build.standalone
    ? `npx -y deno@${Deno.version.deno} run -A main.ts`
    : "kb-mcp";
}

/**
 * Returns the text to print when the server is ready: its URL and client configurations to copy, without the
 * token.
 */
export function banner(
  { url, hasKey, keyFile, hasPage = false, engine, command = "kb-mcp" }: BannerOptions,
): string {
  const entry = (type: Record<string, string>) => ({
    ...type,
    url,
    ...(hasKey ? { headers: { Authorization: "Bearer <KB_MCP_API_KEY>" } } : {}),
  });
  const key = keyFile === undefined ? "$KB_MCP_API_KEY" : `$(cat ${quote(keyFile)})`;
  const header = hasKey ? ` \\\n    --header "Authorization: Bearer ${key}"` : "";
  const warning = hasKey
    ? ""
    : "\nNo authentication: every client that reaches this address has full access. Set KB_MCP_API_KEY to require a token.";
  const page = hasPage ? `\nWeb page: ${new URL("./", url).href}` : "";
  return `kb-mcp is ready at ${url}${page}
Engine: ${engine}${warning}

Connect a client:

  Claude Code
    claude mcp add --transport http kb ${url}${header}

  Cursor (~/.cursor/mcp.json)
    ${JSON.stringify({ mcpServers: { kb: entry({}) } })}

  VS Code (.vscode/mcp.json)
    ${JSON.stringify({ servers: { kb: entry({ type: "http" }) } })}

  Others, or to write the configuration: ${command} connect --help

Stop with Ctrl-C.
`;
}

/** Quotes a path for a shell, where it needs that. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
