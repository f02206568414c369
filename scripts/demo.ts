/**
 * `deno task demo`: starts a server over a temporary directory and runs a complete session with the official MCP client.
 *
 * @module
 */
import { startServer } from "../src/cli/serve.ts";
import { loadConfig } from "../src/config/mod.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { type Agent, connectAgent } from "../tests/support/mcp_client.ts";
import { samplePdf } from "../tests/support/samples.ts";
import { print } from "./print.ts";

const TOKEN = "demo-token";
const CHUNK_BYTES = 256;
const SENTENCE = "The night train to the coast leaves from platform nine.";

/** Calls a tool, prints the call and its result, and returns the structured content. */
async function callTool(
  agent: Agent,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { isError, text, structured } = await agent.call(name, args);
  if (isError) throw new Error(`${name} failed: ${text}`);
  const shown = JSON.stringify(args, (_, value) => {
    return typeof value === "string" && value.length > 80
      ? `${value.slice(0, 60)}… (${value.length} characters)`
      : value;
  });
  print(`  ${name} ${shown}\n    → ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`);
  return structured;
}

async function upload(agent: Agent, filename: string, bytes: Uint8Array): Promise<Record<string, unknown>> {
  const { upload_id } = await callTool(agent, "kb_upload_start", {
    filename,
    total_size: bytes.byteLength,
    tags: ["demo"],
  });
  for (let index = 0; index * CHUNK_BYTES < bytes.byteLength; index++) {
    const data = bytes.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toBase64();
    await callTool(agent, "kb_upload_chunk", { upload_id, chunk_index: index, data });
  }
  return await callTool(agent, "kb_upload_finish", { upload_id });
}

async function waitForDocument(agent: Agent, job: Record<string, unknown>): Promise<unknown> {
  for (let current = job;;) {
    if (current["document_id"] != null) return current["document_id"];
    if (current["status"] === "failed") throw new Error(`The job failed: ${current["error"]}`);
    const { jobs } = await callTool(agent, "kb_jobs", { job_id: job["job_id"], wait: 20 }) as {
      jobs: Record<string, unknown>[];
    };
    current = jobs[0] ?? current;
  }
}

async function playSession(agent: Agent): Promise<void> {
  const server = agent.client.getServerVersion();
  print(`\nConnected to ${server?.name} ${server?.version}.`);
  const { tools } = await agent.client.listTools();
  print(`Tools (${tools.length}): ${tools.map((tool) => tool.name).join(", ")}`);

  print("\n1. Remember a preference of the user.");
  const note = await callTool(agent, "kb_addnote", {
    text: "The user prefers concise answers, as bullet points.",
    collection: "memory",
    tags: ["preference"],
  });
  const noteId = await waitForDocument(agent, note);

  print("\n2. Upload a PDF in chunks and wait until it is indexed.");
  const documentId = await waitForDocument(agent, await upload(agent, "trains.pdf", samplePdf([SENTENCE])));

  print("\n3. Find a sentence of the PDF.");
  const found = await callTool(agent, "kb_search", { query: SENTENCE, collection: "documents", top: 3 });
  const first = (found["results"] as { document_id: unknown }[])[0];
  if (String(first?.document_id) !== String(documentId)) throw new Error("The first result must be the PDF");

  print("\n4. Correct the note; its id stays the same.");
  await callTool(agent, "kb_update_note", {
    document_id: noteId,
    text: "The user prefers detailed answers, in prose.",
  });
  await callTool(agent, "kb_search", { query: "detailed answers", collection: "memory" });

  print("\n5. Move the PDF to another collection.");
  await callTool(agent, "kb_set_collection", { document_id: documentId, collection: "workspace" });

  print("\n6. Delete the note.");
  await callTool(agent, "kb_delete", { document_id: noteId });
  await callTool(agent, "kb_status", {});
}

const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-demo-" });
try {
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_MCP_API_KEY: TOKEN,
    KB_DATA_DIR: dataDir,
    KB_MODEL_DOWNLOAD: "off",
  };
  const config = loadConfig({ env: (name) => env[name], readFile: Deno.readTextFileSync });
  await using server = await startServer(config, {
    log: createLogger("warn"),
    defaultDataDir: () => dataDir,
  });
  print(`kb-mcp serves MCP at ${server.url}/mcp, with its data in a temporary directory.`);
  {
    await using agent = await connectAgent(server.url, TOKEN);
    await playSession(agent);
  }
} finally {
  await Deno.remove(dataDir, { recursive: true });
}
