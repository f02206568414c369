import { assertEquals, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { until } from "./sqlite/backfill/support.ts";
import { EmbeddedEngine } from "../support/embedded_engine.ts";

Deno.test("documents have a language, which searches report and filter by", async () => {
  await using engine = await EmbeddedEngine.open();
  const german = await engine.ingest({
    text: "Die Verträge liegen in einer Schublade und der Server ist neu.",
  });
  const english = await engine.ingest({ text: "The server of the office is new, and it is fast." });
  const search = async (fields: Record<string, unknown>) => {
    const { status, body } = await engine.call("search", { body: { query: "server", ...fields } });
    return {
      status,
      body,
      found: body.results?.map(({ language }: { language: string }) => language).sort(),
    };
  };
  assertEquals((await search({})).found, ["de", "en"]);
  assertEquals((await search({ language: "de" })).found, ["de"]);
  assertEquals((await search({ language: "de" })).body.filters_applied.language, "de");
  assertEquals((await search({ language: "fr" })).found, []);
  const { status, body } = await search({ language: "German" });
  assertEquals(status, 400);
  assertStringIncludes(JSON.stringify(body), "ISO 639-1");
  const documents = await Promise.all(
    [german, english].map(({ document_id }) => engine.call("getDocument", { id: Number(document_id) })),
  );
  assertEquals(documents.map((each) => each.body.language), ["de", "en"]);
});

Deno.test("a snippet shows another form of a query word", async () => {
  await using engine = await EmbeddedEngine.open();
  const filler = "Wir haben gestern lange über die Arbeit im Garten gesprochen. ".repeat(6);
  await engine.ingest({ text: `${filler} Am Fluss stehen alte Häuser. ${filler}` });
  const { body } = await engine.call("search", { body: { query: "Haus", detail: "snippet" } });
  assertStringIncludes(body.results[0].text, "Häuser");
});

Deno.test("derived terms follow the text of a note, and are deleted with it", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "Am Fluss stehen viele alte Häuser mit Balkon" });
  const id = Number(document_id);
  const found = async (query: string) => (await engine.call("search", { body: { query } })).body.total;
  assertEquals([await found("Haus"), await found("Vertrag")], [1, 0]);
  await engine.call("updateNote", { id, body: { text: "Alle Verträge liegen jetzt im Schrank" } });
  assertEquals([await found("Haus"), await found("Vertrag")], [0, 1]);
  await engine.call("deleteDocument", { id });
  assertEquals(await found("Vertrag"), 0);
});

Deno.test("a store of an older version is analyzed in the background after the start", async () => {
  await using engine = await EmbeddedEngine.open();
  await engine.ingest({ text: "Die alten Häuser am Fluss gehören der Stadt." });
  await engine.ingest({ text: "The keys are in the drawer of the desk." });
  await engine.close();
  {
    using db = new DatabaseSync(`${engine.dataDir}/kb.db`);
    db.exec(`DELETE FROM derived_fts;
      UPDATE documents SET language = NULL, stemmed_languages = NULL, analysis_version = 0`);
  }
  await engine.reopen();
  const documents = async () => (await engine.call("status")).body.documents;
  const found = async () => (await engine.call("search", { body: { query: "Haus" } })).body.total;
  await until(async () => (await documents()).to_analyze === undefined, "all documents are analyzed");
  assertEquals((await documents()).by_language, { de: 1, en: 1 });
  assertEquals(await found(), 1);
});
