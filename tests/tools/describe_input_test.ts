import { assert, assertEquals } from "@std/assert";
import { describeInput, tools } from "../../src/tools/mod.ts";

function problem(name: string, args: unknown): string {
  const tool = tools.find((each) => each.name === name);
  assert(tool);
  const { error } = tool.input.safeParse(args);
  assert(error, `${name} accepts ${JSON.stringify(args)}`);
  return describeInput(tool, args, error);
}

const SEARCH_ARGUMENTS = Object.keys(tools[0]?.input.shape ?? {}).join(", ");

const CASES: [tool: string, args: unknown, message: string][] = [
  ["kb_search", {}, "kb_search: query is missing: it must be a string."],
  ["kb_search", { query: 7 }, "kb_search: query must be a string, got 7."],
  ["kb_search", { query: "x", top: 500 }, "kb_search: top must be at most 50, got 500."],
  [
    "kb_search",
    { top: "five", foo: 1 },
    `kb_search: query is missing: it must be a string; top must be a number, got "five"; unknown argument "foo" (its arguments are ${SEARCH_ARGUMENTS}).`,
  ],
  ["kb_search", { query: "x", top: 0 }, "kb_search: top must be at least 1, got 0."],
  ["kb_search", { query: "x", top: 2.5 }, "kb_search: top must be a whole number, got 2.5."],
  ["kb_search", { query: "x", tags: "email" }, 'kb_search: tags must be a list, got "email".'],
  [
    "kb_search",
    { query: "x", tags: ["a", ""] },
    'kb_search: tags[1] must have at least 1 character, got "".',
  ],
  [
    "kb_search",
    { query: "x", since: "last week" },
    'kb_search: since must be a date such as "2026-03-31", a date-time such as "2026-03-31T09:00:00Z", or "7d", "2w", "today", "yesterday", got "last week".',
  ],
  [
    "kb_search",
    { query: "x", topk: 3, k: 1 },
    `kb_search: unknown argument "topk", "k" (its arguments are ${SEARCH_ARGUMENTS}).`,
  ],
  ["kb_search", { query: "x", collection: 7 }, "kb_search: collection must be a string or a list, got 7."],
  ["kb_search", { query: "x", max_tokens: 5 }, "kb_search: max_tokens must be at least 50, got 5."],
  [
    "kb_search",
    { query: "x", mode: "exact" },
    'kb_search: mode must be one of "hybrid", "fts", "vector", got "exact".',
  ],
  ["kb_status", { verbose: true }, 'kb_status: unknown argument "verbose" (it takes no arguments).'],
  [
    "kb_jobs",
    { status: "finished" },
    'kb_jobs: status must be one of "queued", "processing", "done", "failed", "cancelled", got "finished".',
  ],
  [
    "kb_get",
    { document_id: true },
    "kb_get: document_id must be a number or a string, got true.",
  ],
  [
    "kb_set_collection",
    { document_id: 1 },
    "kb_set_collection: collection is missing: it must be a string or null.",
  ],
  [
    "kb_upload_start",
    { filename: "a", total_size: 1, sha256: "abc" },
    'kb_upload_start: sha256 must be 64 hexadecimal digits, got "abc".',
  ],
  [
    "kb_addnote",
    { text: "x", title: "t".repeat(600) },
    "kb_addnote: title must have at most 500 characters, got a string of 600 characters.",
  ],
];

for (const [tool, args, message] of CASES) {
  Deno.test(`invalid input is described by field, requirement and value: ${message.slice(0, 60)}`, () => {
    assertEquals(problem(tool, args), message);
  });
}

Deno.test("the message of a hostile input is short", () => {
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}${"x".repeat(5000)}`, i]));
  assert(problem("kb_status", unknown).length < 1000);
  const tags = Array.from({ length: 60 }, () => "\u0000".repeat(100));
  const text = problem("kb_search", { query: { deep: "x".repeat(10_000) }, tags, since: [tags] });
  assert(text.length < 1500, `${text.length} characters`);
  assert(/; \d+ more\.$/.test(text));
});
