/** What this program calls itself in MCP's `serverInfo`, in `--version` and in the log. */
export const NAME = "kb-mcp";
/** Version of this program, the same as in deno.json (a test compares them). */
export const VERSION = "3.0.0";
