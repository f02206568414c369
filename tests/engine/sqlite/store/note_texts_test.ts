import { assertEquals } from "@std/assert";
import { joinChunks, noteText } from "../../../../src/engine/sqlite/store/note_texts.ts";
import { chunkText } from "../../../../src/extraction/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { TestStore } from "./test_store.ts";

const LONG = Array.from(
  { length: 60 },
  (_, i) => `## Section ${i}\n\nThe text of section ${i} says ${"a few words ".repeat(i)}at its end.`,
).join("\n\n");

Deno.test("the text of a note is what was written, without front matter and white space at its end", async () => {
  await using store = await TestStore.open();
  const texts = ["one", "one\n\n\n", "\n\n  one", "a\tb\n\n\t\tc", LONG, LONG.replaceAll("\n\n", "\n \t\n")];
  for (const text of texts) {
    const { document_id: id } = store.addNote(text);
    assertEquals(noteText(store.db, Number(id)), text.trimEnd());
    assertEquals(
      noteText(store.db, Number(store.addNote(`---\nk: 1\n---\n${text}`).document_id)).trim(),
      text.trim(),
    );
  }
  const updated = Number(store.addNote("before").document_id);
  store.write("updateNote", updated, { text: texts[5]! });
  assertEquals(noteText(store.db, updated), texts[5]);
  store.write("updateNote", updated, { text: "short" });
  assertEquals(noteText(store.db, updated), "short");
});

Deno.test("only texts that the chunks do not reproduce are stored again", async () => {
  await using store = await TestStore.open();
  store.addNote("one\n");
  store.addNote(LONG);
  assertEquals(store.count("note_texts"), 0);
  const { document_id: id } = store.addNote(LONG.replaceAll("\n\n", "\n\t\n"));
  assertEquals(store.count("note_texts"), 1);
  store.write("deleteDocument", Number(id));
  assertEquals(store.count("note_texts"), 0);
});

Deno.test("joined chunks have the words and offsets of the text", () => {
  const random = seededRandom(3);
  const pieces = [
    "word ",
    "a longer sentence ends. ",
    "\n",
    "\n\n",
    "# Heading\n",
    "- item\n",
    "知識",
    "```\ncode\n```\n",
    "\t",
  ];
  for (let round = 0; round < 200; round++) {
    const text = Array.from({ length: random.int(200) }, () => random.pick(pieces)).join("");
    const chunks = chunkText({ text, markup: "markdown", pageStarts: undefined }, {
      maxTokens: 16,
      overlapTokens: 8,
    });
    const joined = joinChunks(chunks);
    assertEquals(joined.length, text.trimEnd().length);
    assertEquals(joined.replace(/\s/g, " "), text.trimEnd().replace(/\s/g, " "));
  }
});
