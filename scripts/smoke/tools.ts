import { assert, assertEquals, assertMatch } from "@std/assert";
import { zipSync } from "fflate";
import { type Agent, connectAgent } from "../../tests/support/mcp_client.ts";
import { stateless } from "../../tests/support/messages.ts";
import { samplePdf } from "../../tests/support/samples.ts";
import { tools } from "../../src/tools/mod.ts";
import type { Checks } from "../checks.ts";

type ToolResult = Record<string, unknown>;

/** Bytes per upload chunk: small enough to split every sample into several. */
const CHUNK_BYTES = 300;
/** Maximum time to wait for an ingestion job. */
const JOB_TIMEOUT_MS = 30_000;

const PDF_SENTENCE = "The heron waits by the weir until the water clears.";
const DOCX_SENTENCE = "The lighthouse keeper logs every passing trawler.";
const HTML_SENTENCE = "The beekeeper moves her hives at dusk.";

/** Checks every tool, resources and prompts of a running server with the official MCP client. */
export async function checkTools(checks: Checks, url: string, token: string): Promise<void> {
  await checks.check("a request without the token gets 401", async () => {
    const response = await fetch(`${url}/mcp`, { method: "POST", body: "{}" });
    await response.body?.cancel();
    assertEquals(response.status, 401);
  });
  await using agent = await checks.check("initialize", () => connectAgent(url, token));
  await checks.check("tools/list has every tool", async () => {
    assertEquals((await agent.client.listTools()).tools.length, tools.length);
  });
  await checks.check("server/discover works without initialize", async () => {
    const { supportedVersions, capabilities } = await discover(url, token);
    assertEquals(supportedVersions[0], "2026-07-28");
    assertEquals(Object.keys(capabilities).sort(), ["completions", "prompts", "resources", "tools"]);
  });
  await checks.check("resources/read returns the status, prompts/get fills in its arguments", async () => {
    const { contents } = await agent.client.readResource({ uri: "kb://status" });
    assertMatch(String((contents[0] as { text?: string }).text), /^# Knowledge base status/);
    const prompt = await agent.client.getPrompt({
      name: "remember",
      arguments: { text: "Tea, not coffee." },
    });
    assertMatch(JSON.stringify(prompt.messages), /Tea, not coffee\./);
  });
  const note = await checks.check("kb_addnote stores a note", async () => {
    const accepted = await call(agent, "kb_addnote", {
      text: "The ferry leaves at seven.",
      collection: "memory",
    });
    return await ingestedDocument(agent, accepted);
  });
  const pdf = await checks.check("a PDF uploaded in chunks becomes a document", async () => {
    return await ingestedDocument(agent, await uploadInChunks(agent, "heron.pdf", samplePdf([PDF_SENTENCE])));
  });
  await checks.check(
    "kb_search finds the PDF by its sentence",
    () => assertFirstResult(agent, PDF_SENTENCE, pdf),
  );
  await checks.check("a DOCX uploaded in chunks is found by its sentence", async () => {
    const docx = await ingestedDocument(
      agent,
      await uploadInChunks(agent, "keeper.docx", docxWith(DOCX_SENTENCE)),
    );
    await assertFirstResult(agent, DOCX_SENTENCE, docx);
  });
  await checks.check("an HTML page sent to the upload URL is found by its sentence", async () => {
    const page = new TextEncoder().encode(`<!doctype html><title>Bees</title><p>${HTML_SENTENCE}</p>`);
    const html = await ingestedDocument(agent, await uploadByUrl(agent, "bees.html", page));
    await assertFirstResult(agent, HTML_SENTENCE, html);
  });
  await checks.check("kb_search finds a German note by another form of its word", async () => {
    const text = "Die Verträge für die alten Häuser am Fluss liegen im unteren Schrank neben der Tür.";
    const german = await ingestedDocument(agent, await call(agent, "kb_addnote", { text }));
    await assertFirstResult(agent, "Vertrag", german);
  });
  await checks.check("kb_update_note replaces the text and keeps the id", async () => {
    await call(agent, "kb_update_note", { document_id: note, text: "The ferry leaves at half past nine." });
    await assertFirstResult(agent, "ferry half past nine", note);
  });
  await checks.check("kb_set_collection moves the PDF", async () => {
    const moved = await call(agent, "kb_set_collection", { document_id: pdf, collection: "workspace" });
    assertEquals([moved.previous_collection, moved.collection], ["documents", "workspace"]);
  });
  await checks.check("kb_delete deletes the note", async () => {
    await call(agent, "kb_delete", { document_id: note });
    const { isError, text } = await agent.call("kb_get", { document_id: note });
    assert(isError);
    assertMatch(text, /not found|no document/i);
  });
}

/** Calls `server/discover` of protocol version 2026-07-28. */
async function discover(url: string, token: string) {
  const [message, headers] = stateless("server/discover");
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  return (await response.json()).result;
}

async function call(agent: Agent, tool: string, args: ToolResult): Promise<ToolResult> {
  const { isError, text, structured } = await agent.call(tool, args);
  assert(!isError, `${tool}: ${text}`);
  return structured;
}

async function assertFirstResult(agent: Agent, query: string, document: unknown): Promise<void> {
  const { results } = await call(agent, "kb_search", { query, top: 3 }) as { results: ToolResult[] };
  assertEquals(results[0]?.document_id, document, `"${query}" must find document ${document} first`);
}

async function uploadInChunks(agent: Agent, filename: string, bytes: Uint8Array): Promise<ToolResult> {
  const { upload_id } = await call(agent, "kb_upload_start", { filename, total_size: bytes.length });
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const data = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toBase64();
    await call(agent, "kb_upload_chunk", { upload_id, chunk_index: index, data });
  }
  return await call(agent, "kb_upload_finish", { upload_id });
}

async function uploadByUrl(
  agent: Agent,
  filename: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<ToolResult> {
  const start = await call(agent, "kb_upload_start", { filename, total_size: body.length });
  const response = await fetch(String(start.upload_url), { method: "PUT", body });
  assert(response.ok, `PUT returned ${response.status}: ${await response.text()}`);
  return await call(agent, "kb_upload_finish", { upload_id: start.upload_id });
}

/** Waits for an ingestion job and returns the id of its document. */
async function ingestedDocument(agent: Agent, accepted: ToolResult): Promise<unknown> {
  const deadline = Date.now() + JOB_TIMEOUT_MS;
  let job = accepted;
  while (job.document_id === undefined || job.document_id === null) {
    assert(
      job.status !== "failed" && Date.now() < deadline,
      `Job ${JSON.stringify(job)} must finish with a document`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { jobs } = await call(agent, "kb_jobs", { job_id: accepted.job_id }) as { jobs: ToolResult[] };
    job = jobs[0] ?? job;
  }
  return job.document_id;
}

/** Builds a minimal Word document (ECMA-376): content types, the package's relationship, one paragraph. */
function docxWith(sentence: string): Uint8Array {
  const package_ = "http://schemas.openxmlformats.org/package/2006";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
  const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${package_}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="${package_}/relationships">` +
      `<Relationship Id="r1" Type="${office}" Target="word/document.xml"/></Relationships>`,
    "word/document.xml":
      `<w:document xmlns:w="${word}"><w:body><w:p><w:r><w:t>${sentence}</w:t></w:r></w:p></w:body></w:document>`,
  };
  const encoder = new TextEncoder();
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, encoder.encode(xml)])));
}
