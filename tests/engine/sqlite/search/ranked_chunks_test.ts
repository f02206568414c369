import { assert, assertEquals } from "@std/assert";
import type { SearchResult } from "../../../../src/contract/mod.ts";
import { SNIPPET_CHARS } from "../../../../src/engine/search/snippet.ts";
import { EmbeddedEngine } from "../../../support/embedded_engine.ts";
import { seededRandom } from "../../../support/random.ts";
import { memoryCorpus, search } from "./corpus.ts";

const WORDS = "heron reeds tide lake fog oar net boat gull rain pier rope sail wave moss".split(" ");

/** Returns Markdown with a few headings, whose sections take one or more chunks. */
function markdown(seed: number): string {
  const { int, pick } = seededRandom(seed);
  let n = 0;
  const sentence = () =>
    `${Array.from({ length: int(14) + 3 }, () => pick(WORDS)).join(" ")} s${seed}x${n++} heron. `;
  const paragraph = () => Array.from({ length: int(9) + 1 }, sentence).join("").trim();
  const section = (number: number) =>
    `## Part ${number}\n\n${Array.from({ length: int(12) + 1 }, paragraph).join("\n\n")}`;
  return `# Log ${seed}\n\n${
    Array.from({ length: int(5) + 1 }, (_, number) => section(number)).join("\n\n")
  }\n`;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const joined = ({ context_before, text, context_after }: SearchResult) =>
  squeezed([context_before ?? "", text, context_after ?? ""].join(" "));

/** Returns the results of all pages. */
async function allResults(engine: EmbeddedEngine, request: Record<string, unknown>): Promise<SearchResult[]> {
  const results: SearchResult[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await engine.call("search", {
      body: { query: "heron", top: 50, ...request, ...(cursor === "" ? {} : { cursor }) },
    });
    results.push(...body.results);
    cursor = body.next_cursor;
  }
  return results;
}

Deno.test("context has no repeated header rows", async () => {
  await using engine = await EmbeddedEngine.open();
  const header = "| Bird | Count |\n| --- | --- |\n";
  const rows = Array.from({ length: 300 }, (_, n) => `| heron ${n} | ${n} |`);
  await engine.ingest({ file: new File([header + rows.join("\n")], "birds.md") });
  const results = await allResults(engine, { detail: "context" });
  assert(results.length > 3);
  for (const { index, text, snippet, repeated_chars, context_before = "", context_after = "" } of results) {
    assert(text.startsWith(header) && snippet?.includes("heron"));
    assertEquals(repeated_chars, index === 0 ? undefined : header.length);
    const around = [context_before, text.slice(repeated_chars ?? 0), context_after].join("\n").replace(
      header,
      "",
    );
    const birds = around.split("\n").filter((line) => line !== "");
    assertEquals(birds.join("\n"), rows.slice(rows.indexOf(birds[0]!)).slice(0, birds.length).join("\n"));
  }
});

Deno.test("context is the text right before and after a chunk, under the same heading, without overlap", async () => {
  await using engine = await EmbeddedEngine.open();
  const texts = new Map<number, string>();
  for (let seed = 1; seed <= 12; seed++) {
    const job = await engine.ingest({ file: new File([markdown(seed)], `log${seed}.md`) });
    texts.set(Number(job.document_id), squeezed(markdown(seed)));
  }
  const results = await allResults(engine, { detail: "context" });
  const byPosition = new Map(results.map((result) => [`${result.document_id}/${result.index}`, result]));
  let [withBoth, overlapping] = [0, 0];
  for (const result of results) {
    const text = texts.get(Number(result.document_id))!;
    assert(text.includes(joined(result)), `${joined(result)}\nis not in\n${text}`);
    for (const [offset, context] of [[-1, result.context_before], [1, result.context_after]] as const) {
      const other = byPosition.get(`${result.document_id}/${result.index! + offset}`);
      const isSameHeading = JSON.stringify(other?.heading_path) === JSON.stringify(result.heading_path);
      assertEquals(typeof context, other && isSameHeading ? "string" : "undefined");
      if (context === null || context === undefined) continue;
      assert(squeezed(other!.text).includes(squeezed(context)));
      if (context.length < other!.text.length) overlapping++;
    }
    if (result.context_before && result.context_after) withBoth++;
  }
  assert(
    results.length > 60 && withBoth > 10 && overlapping > 10,
    `${results.length}, ${withBoth}, ${overlapping}`,
  );
});

Deno.test("the first and last chunk have context on one side, and a single chunk has none", async () => {
  await using engine = await EmbeddedEngine.open();
  await engine.ingest({ text: "One heron.", title: "Short" });
  const long = Array.from({ length: 120 }, (_, n) => `Sentence ${n} of the long note about a heron.`);
  await engine.ingest({ text: long.join(" "), title: "Long" });
  const results = await allResults(engine, { detail: "context" });
  const [short] = results.filter(({ title }) => title === "Short");
  assertEquals([short!.context_before, short!.context_after], [undefined, undefined]);
  const chunks = results.filter(({ title }) => title === "Long").sort((a, b) => a.index! - b.index!);
  assert(chunks.length > 2);
  const has = chunks.map((chunk) => [chunk.context_before !== undefined, chunk.context_after !== undefined]);
  assertEquals(has.at(0), [false, true]);
  assertEquals(has.at(-1), [true, false]);
  assert(has.slice(1, -1).every(([before, after]) => before && after));
  // Chunks with their context start and end like the note.
  assert(squeezed(long.join(" ")).startsWith(joined(chunks[0]!)));
  assert(squeezed(long.join(" ")).endsWith(joined(chunks.at(-1)!)));
});

Deno.test("chunks of another heading or document are not context", async () => {
  const { db } = memoryCorpus([
    {
      title: "a",
      chunks: [
        { text: "before, elsewhere", headings: ["One"] },
        { text: "before, here", headings: ["Two"] },
        { text: "the heron", headings: ["Two"] },
        { text: "after, below", headings: ["Two", "Three"] },
      ],
    },
    {
      title: "b",
      chunks: [{ text: "the other heron", headings: ["Two"] }, { text: "its end", headings: ["Two"] }],
    },
  ]);
  const { results } = await search(db, { query: "heron", detail: "context" });
  const context = results.map((
    { context_before, text, context_after },
  ) => [context_before, text, context_after]);
  assertEquals(context.sort((a, b) => a[1]!.localeCompare(b[1]!)), [
    ["before, here", "the heron", undefined],
    [undefined, "the other heron", "its end"],
  ]);
  db.close();
});

Deno.test("the snippet is the text with detail snippet, and a separate field otherwise", async () => {
  await using engine = await EmbeddedEngine.open();
  await engine.ingest({
    text: `${"Nothing to see on the lake. ".repeat(20)}The heron stands. ${"Fog comes in. ".repeat(20)}`,
  });
  const of = async (detail: string, options = {}) =>
    (await engine.call("search", { body: { query: "heron", detail, ...options } })).body.results[0];
  const [snippet, chunk, context] = [await of("snippet"), await of("chunk"), await of("context")];
  assert(
    snippet.text.includes("The heron stands.") && snippet.text.length <= SNIPPET_CHARS + 4,
    snippet.text,
  );
  assert(!("snippet" in snippet));
  assertEquals(chunk.snippet, snippet.text);
  assert(chunk.text.length > 500);
  assertEquals([context.text, context.snippet], [chunk.text, chunk.snippet]);
  assertEquals((await engine.call("search", { body: { query: "heron" } })).body.results[0], chunk);
  const { snippet: _, ...withoutSnippet } = chunk;
  assertEquals(await of("chunk", { snippets: false }), withoutSnippet);
  assertEquals(await of("snippet", { snippets: false }), snippet);
});

Deno.test("results contain no invisible characters", async () => {
  const hidden = "\u202e\u200b\u2066\u00ad\ufeff\u{e0068}";
  const marked = (text: string) =>
    text.split(" ").map((word) => `${word.slice(0, 2)}${hidden}${word.slice(2)}`).join(" ");
  const { db } = memoryCorpus([{
    title: marked("Water birds"),
    chunks: ["what stands before", "the heron waits", "what stands after"].map((text) => ({
      text: `${marked(text)}\u0007`,
      headings: [marked("Birds"), marked("Herons")],
    })),
  }]);
  for (const detail of ["snippet", "chunk", "context"] as const) {
    const { results: [hit] } = await search(db, { query: "heron waits", detail });
    const { title, heading_path, text } = hit!;
    assertEquals([title, heading_path, text], ["Water birds", ["Birds", "Herons"], "the heron waits"]);
    if (detail === "chunk") assertEquals(hit!.snippet, "the heron waits");
    if (detail === "context") {
      assertEquals([hit!.context_before, hit!.context_after], ["what stands before", "what stands after"]);
    }
    assert(!JSON.stringify(hit).match(/[\u202e\u200b\u2066\u00ad\ufeff]|\\u0007|\u{e0068}/u));
  }
  db.close();
});

Deno.test("joiners that a script or an emoji needs are kept", async () => {
  const text = "می\u200cخواهم heron 👩\u200d🔧";
  const { db } = memoryCorpus([{ title: "x", chunks: [text] }]);
  assertEquals((await search(db, { query: "heron" })).results[0]!.text, text);
  db.close();
});
