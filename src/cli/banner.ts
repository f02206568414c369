/**
 * What a person sees when the server is ready: where it is, and what to paste into their client.
 *
 * The token itself is never printed; standard output ends up in logs.
 *
 * @param url URL of the MCP endpoint.
 * @param hasKey Whether agents must send a bearer token.
 * @param engine URL of the engine, or the directory of the embedded one.
 */
export function banner(url: string, hasKey: boolean, engine: string): string {
  const server = (extra: Record<string, string>) => ({
    ...extra,
    url,
    ...(hasKey ? { headers: { Authorization: "Bearer <KB_MCP_API_KEY>" } } : {}),
  });
  const header = hasKey ? ' \\\n    --header "Authorization: Bearer $KB_MCP_API_KEY"' : "";
  return `kb-mcp is ready at ${url}
Engine: ${engine}${
    hasKey
      ? ""
      : "\nNo key is set: every caller that reaches this address is accepted (KB_MCP_API_KEY sets one)."
  }

Connect a client:

  Claude Code
    claude mcp add --transport http kb ${url}${header}

  Cursor (~/.cursor/mcp.json)
    ${JSON.stringify({ mcpServers: { kb: server({}) } })}

  VS Code (.vscode/mcp.json)
    ${JSON.stringify({ servers: { kb: server({ type: "http" }) } })}

Stop with Ctrl-C.
`;
}
