import { assert, assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../../src/contract/mod.ts";
import { type CorpusDocument, memoryCorpus, search } from "./corpus.ts";

/** Returns a note that was changed on a day of March 2026. */
function note(text: string, day: number, more: Partial<CorpusDocument> = {}): CorpusDocument {
  const time = new Date(Date.UTC(2026, 2, day)).toISOString();
  return { title: `${day}`, chunks: [text], createdAt: "2025-01-01T00:00:00.000Z", updatedAt: time, ...more };
}

async function days(documents: readonly CorpusDocument[], request: SearchRequest): Promise<string[]> {
  const { db } = memoryCorpus(documents);
  const { results } = await search(db, request);
  db.close();
  return results.map(({ title }) => title ?? "");
}

Deno.test("of two statements that nearly say the same, the newer is first", async () => {
  const query = "In which city is the office?";
  const texts = ["The office is in the city of Berlin", "The office is in the city of Hamburg"];
  assertEquals(await days([note(texts[0]!, 1), note(texts[1]!, 2)], { query }), ["2", "1"]);
  assertEquals(await days([note(texts[0]!, 2), note(texts[1]!, 1)], { query }), ["2", "1"]);
});

Deno.test("the order of relevance stays between different statements, and between distant scores", async () => {
  const query = "city office";
  const office = note("The office is in the city of Berlin", 1);
  const different = note("Ann paints a city hall, Bob an office", 2);
  assertEquals(
    await days([office, different], { query }),
    await days([office, { ...different, updatedAt: office.updatedAt! }], { query }).then(
      (titles) => titles,
    ),
  );
  const lower = note("The harbor is in the city of Hamburg", 3);
  assertEquals((await days([office, lower, note("Filler of another kind", 4)], { query }))[0], "1");
});

Deno.test("newer statements first on any page size, with scores in descending order", async () => {
  const documents = Array.from({ length: 30 }, (_, n) => note(`The office is in the city of c${n}`, n + 1));
  const { db } = memoryCorpus(documents);
  const whole = await search(db, { query: "office city", top: 30 });
  const scores = whole.results.map(({ score }) => score);
  assertEquals(scores, scores.toSorted((a, b) => b - a));
  assertEquals(whole.results.slice(0, 2).map(({ title }) => title), ["20", "19"]);
  const titles: unknown[] = [];
  let next: SearchRequest | undefined = { query: "office city", top: 7 };
  while (next) {
    const page = await search(db, next);
    titles.push(...page.results.map(({ title }) => title));
    next = page.next_cursor ? { ...next, cursor: page.next_cursor } : undefined;
  }
  assertEquals(titles, whole.results.map(({ title }) => title));
  db.close();
});

const MEETINGS = [
  note("budget meeting about the budget of the budget year", 5),
  note("a meeting on the budget", 20),
  note("lunch", 25),
  note("the budget was agreed in a long meeting with many guests from abroad", 12),
];

Deno.test('sort "recent" returns the matching results by the last change, newest first', async () => {
  assertEquals(await days(MEETINGS, { query: "budget meeting", sort: "recent" }), ["20", "12", "5"]);
  assertEquals(await days(MEETINGS, { query: "budget meeting", sort: "recent", top: 1 }), ["20"]);
  assertEquals(
    await days(MEETINGS, { query: "budget meeting", sort: "relevance" }),
    await days(MEETINGS, { query: "budget meeting" }),
  );
});

Deno.test("sorted by time, the chunks of a document are ordered by score, and weak results are omitted", async () => {
  const filler = Array.from({ length: 12 }, (_, n) => note(`the meeting ${n}`, 26));
  const { db } = memoryCorpus([
    note("", 10, { chunks: ["quorum, then a meeting of several long hours", "quorum meeting"] }),
    note("the quorum meeting", 9),
    ...filler,
  ]);
  const { results, total, weak_omitted } = await search(db, { query: "quorum meeting", sort: "recent" });
  assertEquals(results.map(({ chunk_id }) => chunk_id), [2, 1, 3]);
  assertEquals([total, weak_omitted], [3, 12]);
  db.close();
});

Deno.test("recency lowers the scores of older documents, by half every 30 days at 1", async () => {
  const documents = [note("budget meeting", 1), note("meeting on the budget of the year", 31)];
  const query = "budget meeting";
  assertEquals((await days(documents, { query }))[0], "1");
  assertEquals((await days(documents, { query, recency: 0 }))[0], "1");
  assertEquals((await days(documents, { query, recency: 1 }))[0], "31");
  const { db } = memoryCorpus(documents);
  const scoreOf = async (recency: number) =>
    (await search(db, { query, recency })).results.find(({ title }) => title === "1")?.score ?? 0;
  const [full, half, most] = [await scoreOf(0), await scoreOf(1), await scoreOf(0.5)];
  assert(Math.abs(half - full / 2) < 1e-9 && Math.abs(most - full * 0.75) < 1e-9, `${full} ${half} ${most}`);
  // The times are read again after a change.
  db.exec("UPDATE documents SET updated_at = '2026-05-30T00:00:00.000Z' WHERE title = '1'");
  assertEquals((await search(db, { query, recency: 1 })).results[0]?.title, "1");
  db.close();
});
