/** Name of the program in MCP's `serverInfo`, `--version` and the log. */
export const NAME = "kb-mcp";
/** Version of the program, the same as in deno.json (a test compares them). */
export const VERSION = "3.0.0";
