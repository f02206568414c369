import { assertEquals } from "@std/assert";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

const text = "The printer in room 4 jams with thick paper.";

async function similarTo(engine: EmbeddedEngine, body: Record<string, unknown>): Promise<number[]> {
  const response = await engine.call("similarNotes", { body });
  assertEquals(response.status, 200);
  return response.body.similar.map(({ document_id }: { document_id: number }) => document_id);
}

Deno.test("similar notes are of the named collection, or of none", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id: inMemory } = await engine.ingest({ text, tags: "collection:memory" });
  const { document_id: inNone } = await engine.ingest({ text: `${text} Always.`, tags: "paper" });
  const added = "the printer in room 4 jams with thick paper!";
  assertEquals(await similarTo(engine, { text: added, collection: "memory" }), [inMemory]);
  assertEquals(await similarTo(engine, { text: added }), [inNone]);
  assertEquals(await similarTo(engine, { text: added, collection: "memory", exclude: inMemory }), []);
  assertEquals(await similarTo(engine, { text, collection: "memory" }), [], "the note itself");
});

Deno.test("deleted notes, and the former text of changed ones, are not similar", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id: deleted } = await engine.ingest({ text });
  const { document_id: changed } = await engine.ingest({ text: `${text} Sometimes.` });
  const added = `${text} Often.`;
  assertEquals((await similarTo(engine, { text: added })).toSorted(), [deleted, changed]);
  await engine.call("deleteDocument", { id: deleted! });
  await engine.call("updateNote", { id: changed!, body: { text: "Buy toner." } });
  assertEquals(await similarTo(engine, { text: added }), []);
});

Deno.test("front matter and headings that many notes share do not make notes similar", async () => {
  await using engine = await EmbeddedEngine.open();
  const note = (fact: string) =>
    `---\nauthor: Ann Miller from the support team\n---\n# Support note\n\n${fact}`;
  await engine.ingest({ text: note(text) });
  assertEquals(await similarTo(engine, { text: note("Backups run at midnight.") }), []);
  assertEquals((await similarTo(engine, { text: note(text.replace("thick", "glossy")) })).length, 1);
});

Deno.test("minutes with one identical line are not similar, but those with most lines are", async () => {
  await using engine = await EmbeddedEngine.open();
  const attendees = "Attendees: Anna, Boris, Clara.";
  const minutes = (...lines: string[]) => [attendees, ...lines].join("\n");
  await engine.ingest({
    text: minutes(
      "The budget of the museum was approved by the board.",
      "The north roof needs new slates before winter.",
    ),
  });
  const other = minutes(
    "Volunteers repaint the harbor fence in April.",
    "Parking permits expire at the end of the season.",
  );
  assertEquals(await similarTo(engine, { text: other }), []);
  const same = minutes("The budget of the museum was approved by the board.", "Parking permits expire soon.");
  assertEquals((await similarTo(engine, { text: same })).length, 1);
});

Deno.test("up to `limit` notes, at least one and at most ten", async () => {
  await using engine = await EmbeddedEngine.open();
  for (let day = 1; day <= 5; day++) await engine.ingest({ text: `${text} Reported on day ${day}.` });
  assertEquals((await similarTo(engine, { text })).length, 3);
  assertEquals((await similarTo(engine, { text, limit: 5 })).length, 5);
  for (const body of [{ text, limit: 0 }, { text, limit: 11 }, { text: "" }, {}]) {
    assertEquals((await engine.call("similarNotes", { body })).status, 400);
  }
});

Deno.test("text without words has no similar notes", async () => {
  await using engine = await EmbeddedEngine.open();
  await engine.ingest({ text: "!!! ???" }).catch(() => {});
  assertEquals(await similarTo(engine, { text: "!!! ???" }), []);
});
