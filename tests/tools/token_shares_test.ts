/**
 * What the answers of kb_search and kb_get cost, in tokens of o200k_base, on the manuals of this project and on short
 * memories.
 *
 * @module
 */
import { assert } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { kbGet } from "../../src/tools/kb_get.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { type Harness, openHarness } from "../support/harness.ts";

const MANUALS = ["architecture", "configuration", "engine-api", "limits", "operations", "search", "tools"];
const QUESTIONS = [
  "how does the engine limit uploads",
  "which filters does a search have",
  "backup and restore of the data directory",
];

const MEMORIES: [title: string, text: string, tags: string[]][] = [
  ["Language", "The user wants answers in German, and code comments in English.", ["preference"]],
  ["Deployment", "Deploy only after the tests have passed on staging; ask Ines first.", ["work", "release"]],
  ["Database", "The team chose SQLite because nobody has to run a server for it.", ["work", "decision"]],
  ["Meetings", "Meetings on Mondays are not possible: the user looks after the kids.", ["calendar"]],
  ["Units", "The user wants metric units in all reports and tables.", ["preference"]],
  ["Invoices", "The client pays within sixty days; the user sends a reminder after fifty.", ["work"]],
  ["Code freeze", "The team freezes the code one week ahead of every release.", ["work", "release"]],
  ["Newsletter", "The user writes short sentences and simple words in the newsletter.", ["writing"]],
];

const tokens = (value: unknown) => encode(JSON.stringify(value)).length;

async function storeManuals(kb: Harness): Promise<void> {
  for (const name of MANUALS) {
    const path = `docs/${name}.md`;
    const bytes = await Deno.readFile(new URL(`../../${path}`, import.meta.url));
    const { job_id } = await kb.engine.addFile({
      filename: `${name}.md`,
      size: bytes.length,
      open: () => ReadableStream.from([bytes]),
      tags: ["collection:documents", "manual"],
      source_path: path,
    });
    await kb.engine.waitForJob(job_id, { timeoutMs: 30_000, signal: kb.context.signal });
  }
}

Deno.test("the answers of kb_search and kb_get about manuals are mostly their text", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await storeManuals(kb);
  for (const query of QUESTIONS) {
    for (const [detail, minimum] of [["chunk", 0.75], ["snippet", 0.55], ["context", 0.8]] as const) {
      const output = await kb.call(kbSearch, { query, detail });
      const text = output.results.reduce(
        (sum, { text, context_before, context_after }) =>
          sum + tokens(`${context_before ?? ""}${text}${context_after ?? ""}`) - 1,
        0,
      );
      const share = text / tokens(output);
      assert(output.results.length === 10 && share >= minimum, `${query}, ${detail}: ${share}`);
    }
    for (const max_tokens of [1000, 2000, 4000]) {
      const output = await kb.call(kbSearch, { query, max_tokens, top: 50 });
      const used = tokens(output) / max_tokens;
      assert(used <= 1 && used >= 0.85, `${query}, ${max_tokens}: ${used}`);
    }
  }
  const { results: [hit] } = await kb.call(kbSearch, { query: "tools", top: 1 });
  for (const max_tokens of [500, 1000, 2000]) {
    for (const place of [{}, { around: 3 }, { offset: 2 }]) {
      const output = await kb.call(kbGet, { document_id: hit?.document_id, max_tokens, ...place });
      const used = tokens(output) / max_tokens;
      assert(used <= 1 && used >= 0.85, `${JSON.stringify(place)}, ${max_tokens}: ${used}`);
    }
  }
});

Deno.test("memories cost at most 1.6 times as much as a compact list in Markdown", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const source = "Said in the weekly call with Ines and Tom; ask before it changes.";
  for (const [title, text, tags] of MEMORIES) {
    await kb.note({ title, text: `${text} ${source}`, tags, collection: "memory" });
  }
  const query = "What should I know about the user and the team?";
  const output = await kb.call(kbSearch, { query, collection: "memory" });
  assert(output.results.length >= 6, `${output.results.length}`);
  const list = output.results.map(({ document_id, text }) => {
    const [title, , tags] = MEMORIES.find((memory) => text === `${memory[1]} ${source}`)!;
    return `- ${title} (${document_id}, 2026-03-31, ${tags.join(", ")}): ${text}`;
  });
  const factor = tokens(output) / encode(list.join("\n")).length;
  assert(factor <= 1.6, `${factor}`);
});

Deno.test("memories of today use the budget of max_tokens", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (let n = 0; n < 60; n++) {
    const text = `Customer ${n} prefers deliveries on weekday ${n % 5} and pays invoice ${n * 37} within ${
      n % 30
    } days.`;
    await kb.note({ text, title: `Customer ${n}`, collection: "memory" });
  }
  for (const max_tokens of [1000, 1500, 2000]) {
    const output = await kb.call(kbSearch, { query: "customer prefers deliveries", top: 50, max_tokens });
    const share = tokens(output) / max_tokens;
    assert(output.results.length < 50 && share >= 0.9 && share <= 1, `${max_tokens}: ${share}`);
  }
});
