import { assert, assertEquals, assertMatch } from "@std/assert";
import { zipSync } from "fflate";
import { type Agent, connectAgent } from "../tests/support/mcp_client.ts";
import { modern } from "../tests/support/messages.ts";
import { samplePdf } from "../tests/support/samples.ts";
import type { Checks } from "./checks.ts";

type Answer = Record<string, unknown>;

/** Bytes per chunk: small, so that even a small file takes several. */
const CHUNK_BYTES = 300;
/** How long a job may take, in milliseconds. */
const JOB_LIMIT_MS = 30_000;

const PDF_SENTENCE = "The heron waits beside the weir until the water clears.";
const DOCX_SENTENCE = "The lighthouse keeper logs every passing trawler.";
const HTML_SENTENCE = "The beekeeper moves her hives at dusk.";

/** The main story, played by the official MCP client against a running server. */
export async function playStory(checks: Checks, url: string, token: string): Promise<void> {
  await checks.check("a caller without the token is turned away", async () => {
    const response = await fetch(`${url}/mcp`, { method: "POST", body: "{}" });
    await response.body?.cancel();
    assertEquals(response.status, 401);
  });
  await using agent = await checks.check("initialize", () => connectAgent(url, token));
  await checks.check("tools/list has 11 tools", async () => {
    assertEquals((await agent.client.listTools()).tools.length, 11);
  });
  await checks.check("server/discover answers a client that begins without initialize", async () => {
    const { supportedVersions, capabilities } = await discover(url, token);
    assertEquals(supportedVersions[0], "2026-07-28");
    assertEquals(Object.keys(capabilities).sort(), ["completions", "prompts", "resources", "tools"]);
  });
  await checks.check("resources/read tells the status, prompts/get fills one in", async () => {
    const { contents } = await agent.client.readResource({ uri: "kb://status" });
    assertMatch(String((contents[0] as { text?: string }).text), /^# Knowledge base status/);
    const prompt = await agent.client.getPrompt({
      name: "remember",
      arguments: { text: "Tea, not coffee." },
    });
    assertMatch(JSON.stringify(prompt.messages), /Tea, not coffee\./);
  });
  const note = await checks.check("kb_addnote stores a note", async () => {
    const answer = await call(agent, "kb_addnote", {
      text: "The ferry leaves at seven.",
      collection: "memory",
    });
    return await documentOf(agent, answer);
  });
  const pdf = await checks.check("a PDF uploaded in chunks becomes a document", async () => {
    return await documentOf(agent, await uploadInChunks(agent, "heron.pdf", samplePdf([PDF_SENTENCE])));
  });
  await checks.check("kb_search finds the PDF by its sentence", () => find(agent, PDF_SENTENCE, pdf));
  await checks.check("a DOCX uploaded in chunks is found by its sentence", async () => {
    const docx = await documentOf(agent, await uploadInChunks(agent, "keeper.docx", docxWith(DOCX_SENTENCE)));
    await find(agent, DOCX_SENTENCE, docx);
  });
  await checks.check("an HTML page sent to the upload URL is found by its sentence", async () => {
    const page = new TextEncoder().encode(`<!doctype html><title>Bees</title><p>${HTML_SENTENCE}</p>`);
    const html = await documentOf(agent, await uploadByUrl(agent, "bees.html", page));
    await find(agent, HTML_SENTENCE, html);
  });
  await checks.check("kb_update_note corrects the note, which keeps its id", async () => {
    await call(agent, "kb_update_note", { document_id: note, text: "The ferry leaves at half past nine." });
    await find(agent, "ferry half past nine", note);
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

/** A first request of revision 2026-07-28. */
async function discover(url: string, token: string) {
  const [message, headers] = modern("server/discover");
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(message),
  });
  return (await response.json()).result;
}

async function call(agent: Agent, tool: string, args: Answer): Promise<Answer> {
  const { isError, text, structured } = await agent.call(tool, args);
  assert(!isError, `${tool}: ${text}`);
  return structured;
}

async function find(agent: Agent, query: string, document: unknown): Promise<void> {
  const { results } = await call(agent, "kb_search", { query, top: 3 }) as { results: Answer[] };
  assertEquals(results[0]?.document_id, document, `"${query}" must find document ${document} first`);
}

async function uploadInChunks(agent: Agent, filename: string, bytes: Uint8Array): Promise<Answer> {
  const { upload_id } = await call(agent, "kb_upload_start", { filename, total_size: bytes.length });
  for (let index = 0; index * CHUNK_BYTES < bytes.length; index++) {
    const data = bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toBase64();
    await call(agent, "kb_upload_chunk", { upload_id, chunk_index: index, data });
  }
  return await call(agent, "kb_upload_finish", { upload_id });
}

async function uploadByUrl(agent: Agent, filename: string, body: Uint8Array<ArrayBuffer>): Promise<Answer> {
  const start = await call(agent, "kb_upload_start", { filename, total_size: body.length });
  const response = await fetch(String(start.upload_url), { method: "PUT", body });
  assert(response.ok, `PUT answered ${response.status}: ${await response.text()}`);
  return await call(agent, "kb_upload_finish", { upload_id: start.upload_id });
}

/** Id of the document that an ingestion ends with. */
async function documentOf(agent: Agent, accepted: Answer): Promise<unknown> {
  const deadline = Date.now() + JOB_LIMIT_MS;
  let job = accepted;
  while (job.document_id === undefined || job.document_id === null) {
    assert(job.status !== "failed" && Date.now() < deadline, `Job ${JSON.stringify(job)} must end as done`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { jobs } = await call(agent, "kb_jobs", { job_id: accepted.job_id }) as { jobs: Answer[] };
    job = jobs[0] ?? job;
  }
  return job.document_id;
}

/** The least that is a Word document (ECMA-376): content types, the package's relationship, one paragraph. */
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
