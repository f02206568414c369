/** Stores a note, finds it and deletes it, with the client of the official TypeScript SDK. */
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = process.env.MCP_URL ?? "http://127.0.0.1:8808/mcp";
const key = process.env.KB_MCP_API_KEY;

const client = new Client({ name: "example-agent", version: "1.0.0" });
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: key ? { authorization: `Bearer ${key}` } : {} },
});

/** Calls a tool and returns its structured content; a tool error becomes an exception. */
async function callTool(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as Record<string, unknown>;
}

// @ts-ignore: the SDK's transport is not typed for exactOptionalPropertyTypes
await client.connect(transport);
try {
  const note = await callTool("kb_addnote", {
    text: "The user prefers short answers.",
    collection: "memory",
    tags: ["preference"],
  });
  // Ingestion is a job. A short note is usually stored before kb_addnote returns.
  if (note.document_id === undefined) {
    const { jobs } = await callTool("kb_jobs", { job_id: note.job_id, wait: 30 }) as {
      jobs: Record<string, unknown>[];
    };
    note.document_id = jobs[0]?.document_id;
  }

  const { results } = await callTool("kb_search", { query: "answer style", collection: "memory" }) as {
    results: { document_id: number; text: string }[];
  };
  for (const { document_id, text } of results) process.stdout.write(`${document_id}: ${text}\n`);

  await callTool("kb_delete", { document_id: note.document_id });
} finally {
  await client.close();
}
