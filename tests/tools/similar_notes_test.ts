import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { kbAddNote } from "../../src/tools/kb_addnote.ts";
import { openHarness } from "../support/harness.ts";
import { scenario } from "../support/scenario.ts";

interface Similar {
  readonly document_id: number;
  readonly title: string;
  readonly sentence: string;
  readonly score: number;
}

const SIMILAR = "/api/v1/documents/similar";

scenario("Noticing / A note that is nearly stored already: names the note and its sentence", async (kb) => {
  const known = await kb.note({
    text: "Editor settings.\n\nThe user prefers tabs over spaces.",
    title: "Editor",
    collection: "memory",
  });
  await kb.note({ text: "The user is allergic to nuts.", collection: "memory" });
  const output = await kb.call(kbAddNote, {
    text: "the user prefers TABS over spaces",
    collection: "memory",
  });
  assertEquals([output.outcome, output.similar], ["created", [{
    document_id: known,
    title: "Editor",
    sentence: "The user prefers tabs over spaces.",
    score: 1,
  }]]);
});

scenario("Noticing / Up to three notes are similar, most similar first", async (kb) => {
  for (const port of [80, 8080, 443, 8443]) {
    await kb.note({ text: `The proxy in Frankfurt listens on port ${port}.` });
  }
  const { similar } = await kb.call(kbAddNote, { text: "The proxy in Frankfurt listens on port 443 only." });
  const found = similar as Similar[];
  assertEquals([found.length, found[0]?.sentence], [3, "The proxy in Frankfurt listens on port 443."]);
  assert(found.every(({ score }, index) => score <= (found[index - 1]?.score ?? 1)));
});

scenario("Noticing / Other facts, other collections and files are not similar", async (kb) => {
  await kb.note({ text: "The user prefers tabs over spaces.", collection: "workspace" });
  await kb.note({ text: "The user prefers window seats on flights.", collection: "memory" });
  await kb.job("rules.md", new TextEncoder().encode("The user prefers tabs over spaces."));
  const output = await kb.call(kbAddNote, {
    text: "The user prefers tabs over spaces!",
    collection: "memory",
  });
  assertEquals([output.outcome, output.similar], ["created", undefined]);
});

scenario(
  "Noticing / A note is not similar to itself, neither as a duplicate nor as its old text",
  async (kb) => {
    const text = "The user prefers tabs over spaces.";
    const first = await kb.call(kbAddNote, { text, source_path: "a.md" });
    const again = await kb.call(kbAddNote, { text });
    assertEquals([again.outcome, again.document_id, again.similar], [
      "duplicate",
      first.document_id,
      undefined,
    ]);
    const replaced = await kb.call(kbAddNote, { text: `${text} Always.`, source_path: "a.md" });
    assertEquals([replaced.outcome, replaced.similar], ["replaced", undefined]);
  },
);

Deno.test("a lookup that fails does not fail the call", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    intercept: ({ url }) => url.endsWith(SIMILAR) ? new Response("oops", { status: 500 }) : undefined,
  });
  const output = await kb.call(kbAddNote, { text: "Still stored." });
  assertEquals([output.outcome, output.similar], ["created", undefined]);
});

Deno.test("a lookup that never ends does not keep the call", async () => {
  const never = new Promise<never>(() => {});
  await using kb = await openHarness({
    placement: "embedded",
    intercept: ({ url }) =>
      url.endsWith(SIMILAR) ? new Response(new ReadableStream({ pull: () => never })) : undefined,
  });
  const output = await kb.call(kbAddNote, { text: "Still stored." });
  assertEquals([output.outcome, output.similar], ["created", undefined]);
});

Deno.test("similar notes are there although the job has not ended", async () => {
  let isSlow = false;
  await using kb = await openHarness({
    placement: "embedded",
    intercept: ({ url }) =>
      isSlow && url.includes("/jobs/") ? Response.json({ job_id: 2, status: "processing" }) : undefined,
  });
  await kb.note({ text: "The user prefers tabs over spaces." });
  isSlow = true;
  // Too long to be stored when it is accepted.
  const text = `User prefers tabs over spaces${"\n".repeat(20_000)}`;
  const output = await kb.call(kbAddNote, { text }, { jobWaitMs: 50 });
  assertEquals(output.status, "processing");
  assertStringIncludes(JSON.stringify(output.similar), "tabs over spaces");
});

Deno.test("many concurrent calls are an import, without lookups", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await Promise.all(
    Array.from({ length: 32 }, (_, index) => kb.call(kbAddNote, { text: `Import ${index}` })),
  );
  const lookups = kb.paths().filter((path) => path.endsWith(SIMILAR)).length;
  assert(lookups <= 4, String(lookups));
  await kb.call(kbAddNote, { text: "Afterwards again" });
  assertEquals(kb.paths().filter((path) => path.endsWith(SIMILAR)).length, lookups + 1);
});

Deno.test("an engine before contract 3.3 is asked for its version once, and gets no lookup", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    intercept: ({ url }) => url.endsWith("/status") ? Response.json({ version: "3.2.0" }) : undefined,
  });
  await kb.note({ text: "The user prefers tabs over spaces." });
  for (const text of ["User prefers tabs over spaces", "The user prefers tabs over spaces?"]) {
    assertEquals((await kb.call(kbAddNote, { text })).similar, undefined);
  }
  assertEquals(kb.paths().filter((path) => /similar|status/.test(path)), ["GET /api/v1/status"]);
});
