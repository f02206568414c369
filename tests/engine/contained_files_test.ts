import { assertEquals } from "@std/assert";
import { EmbeddedEngine } from "../support/embedded_engine.ts";
import { sampleZip } from "../support/sample_archives.ts";

const MESSAGE = [
  "From: a@example.org",
  "Subject: The offer",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "",
  "The offer is attached.",
  "--b",
  "Content-Disposition: attachment; filename=offer.md",
  "",
  "# Kettle for 20 euros",
  "--b--",
].join("\r\n");

Deno.test("an archive becomes a document for each of its files, those of archives and messages in it included", async () => {
  await using engine = await EmbeddedEngine.open();
  const inner = sampleZip([{ path: "deep.txt", content: "The teapot is in the inner archive." }]);
  const archive = sampleZip([
    { path: "../notes.md", content: "# Notes\n\nThe kettle is in the cupboard." },
    { path: "mail/offer.eml", content: MESSAGE },
    { path: "inner.zip", content: inner },
    { path: "program.exe", content: "MZ\0\0\0" },
  ]);
  const job = await engine.ingest({ file: new File([archive], "home.zip"), tags: "home" });
  assertEquals([job.outcome, job.file_jobs], ["unpacked", { done: 4, failed: 1 }]);
  assertEquals(
    /^1 of 5 files could not be read: program\.exe \(unsupported_type, job \d+\)\.$/.test(job.warning ?? ""),
    true,
  );
  const { documents } = (await engine.call("listDocuments", {})).body;
  const byPath = new Map<string, Record<string, unknown>>();
  for (const document of documents) byPath.set(document.source_path, document);
  assertEquals([...byPath.keys()].sort(), [
    "home.zip/inner.zip/deep.txt",
    "home.zip/mail/offer.eml",
    "home.zip/mail/offer.eml/offer.md",
    "home.zip/notes.md",
  ]);
  assertEquals(documents.every(({ tags }: { tags: string[] }) => tags.includes("home")), true);
  const offer = byPath.get("home.zip/mail/offer.eml")!;
  const attached = byPath.get("home.zip/mail/offer.eml/offer.md")!;
  assertEquals(attached["parent_id"], offer["document_id"]);
  const message = (await engine.call("getDocument", { id: String(offer["document_id"]) })).body;
  assertEquals(message.attachments, [{ document_id: attached["document_id"], title: "Kettle for 20 euros" }]);
});
