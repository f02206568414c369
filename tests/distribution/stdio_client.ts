import { Client } from "@modelcontextprotocol/sdk/client";
// The package exports types only without .js, and modules only with it.
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

/** Adds a note with the official client over standard input and output, and returns its id. */
export async function addNoteOverStdio(
  command: readonly string[],
  options: { env: Record<string, string>; cwd: string },
): Promise<unknown> {
  const [program = "", ...args] = command;
  const transport = new StdioClientTransport({ command: program, args, ...options, stderr: "ignore" });
  const client = new Client({ name: "distribution", version: "1" });
  await client.connect(transport);
  try {
    const text = "The ferry leaves at seven.";
    const { structuredContent } = await client.callTool({ name: "kb_addnote", arguments: { text } });
    return (structuredContent as { document_id?: unknown } | undefined)?.document_id;
  } finally {
    await client.close();
  }
}
