import { assert, assertEquals, assertThrows } from "@std/assert";
import { DocumentList, DocumentListRequest } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { queryDocuments } from "../../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "./test_store.ts";

function query(store: TestStore, request: DocumentListRequest): DocumentList {
  return DocumentList.parse(queryDocuments(store.db, DocumentListRequest.parse(request)));
}

/** Returns the ids of all pages of a listing. Each page must report the same total. */
function ids(store: TestStore, request: DocumentListRequest, limit = 2): unknown[] {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = query(store, { ...request, limit, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.documents?.map(({ document_id }) => document_id) ?? []);
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined) assertEquals(page.total, found.length);
  } while (cursor !== undefined);
  return found;
}

/** Returns the counts of all pages of groups. */
function groups(
  store: TestStore,
  request: DocumentListRequest,
  limit = 2,
): [key: string | null, count: number][] {
  const found: [string | null, number][] = [];
  let cursor: string | undefined;
  do {
    const page = query(store, { ...request, limit, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.groups?.map(({ key, count }) => [key, count] as [string | null, number]) ?? []);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** Six documents, created a second apart on 2026-01-01. */
async function library(): Promise<TestStore> {
  const store = await TestStore.open();
  store.addNote("1", {
    title: "Café menu",
    tags: ["collection:memory", "food"],
    sourcePath: "notes/cafe.md",
  });
  store.addNote("2 is longer", { title: "Curl: the manual", tags: ["collection:memory", "work", "food"] });
  store.addFile("3", {
    title: "Annual report",
    tags: ["collection:documents", "work"],
    sourcePath: "docs/a.pdf",
  });
  store.addFile("4 is a large file", { title: "report_2025 ÜBERSICHT", sourcePath: "docs/b/c.pdf" });
  store.addNote(
    "---\nstatus: done\nyear: 2025\npublic: true\npeople: [Ann, Bo]\ndate: 2026-03-15\n---\nText 5.",
    {
      title: "getUserName()",
      tags: ["collection:workspace", "Work"],
    },
  );
  store.addNote("---\nstatus: open\npeople: []\ndate: 2026-04-02\n---\nText 6.", {
    title: "東京 guide",
    tags: ["food"],
  });
  return store;
}

const FILTERS: [what: string, request: DocumentListRequest, ids: number[]][] = [
  ["nothing", {}, [6, 5, 4, 3, 2, 1]],
  ["one tag", { tags: ["food"] }, [6, 2, 1]],
  ["several tags", { tags: ["food", "collection:memory", "work"] }, [2]],
  ["an unknown tag among known ones", { tags: ["food", "unknown"] }, []],
  ["any tag", { tags_any: ["work", "Work", "unknown"] }, [5, 3, 2]],
  ["no tag", { tags_none: ["food", "unknown"] }, [5, 4, 3]],
  ["a tag, any and none", { tags: ["food"], tags_any: ["work", "collection:memory"], tags_none: ["work"] }, [
    1,
  ]],
  ["a collection", { collections: ["memory"] }, [2, 1]],
  ["several collections", { collections: ["memory", "workspace", "unknown"] }, [5, 2, 1]],
  ["an unknown collection", { collections: ["unknown"] }, []],
  ["a type", { doc_type: "pdf" }, [4, 3]],
  ["the start of the path", { source_path_prefix: "docs/" }, [4, 3]],
  ["a longer start of the path", { source_path_prefix: "docs/b" }, [4]],
  ["a start with wildcards", { source_path_prefix: "%" }, []],
  ["metadata", { metadata: { status: "done" } }, [5]],
  ["metadata in capitals", { metadata: { status: "Done" } }, []],
  ["a number", { metadata: { year: 2025 } }, [5]],
  ["the text of a number", { metadata: { year: "2025", public: "true" } }, [5]],
  ["a boolean", { metadata: { public: true } }, [5]],
  ["another boolean", { metadata: { public: 1 } }, []],
  ["a list that contains a value", { metadata: { people: "Bo", status: "done" } }, [5]],
  ["a field that no document has", { metadata: { status: "done", constructor: "x" } }, []],
  ["a first date", { metadata: { date: { from: "2026-03-15" } } }, [6, 5]],
  ["a range of dates in one month", { metadata: { date: { from: "2026-03-01", to: "2026-03" } } }, [5]],
  ["a last date that is too early", { metadata: { date: { to: "2026-03-14" } } }, []],
  ["a range of numbers", { metadata: { year: { from: 2024.5, to: 2025 } } }, [5]],
  ["a number above the range", { metadata: { year: { to: 2024 } } }, []],
  ["text instead of a number", { metadata: { year: { from: "2024" } } }, []],
  ["a list with an item in a range", { metadata: { people: { from: "B", to: "Bz" } } }, [5]],
  ["a field with a value", { metadata: { people: { exists: true } } }, [5]],
  ["a field without a value", { metadata: { people: { exists: false } } }, [6, 4, 3, 2, 1]],
  ["a value and conditions", { metadata: { status: "open", date: { from: "2026", exists: true } } }, [6]],
  ["no metadata", { metadata: {} }, [6, 5, 4, 3, 2, 1]],
  ["a word of the title", { title: "MANUAL" }, [2]],
  ["starts of words", { title: "rep" }, [4, 3]],
  ["words in any order", { title: "report annual" }, [3]],
  ["a word after another character than a space", { title: "2025 report" }, [4]],
  ["a word, and the middle of another one", { title: "report nnual" }, []],
  ["a word without its accent", { title: "cafe" }, [1]],
  ["an accent in capitals", { title: "CAFÉ" }, [1]],
  ["a word with another accent", { title: "ubersicht 2025" }, [4]],
  ["the middle of a word", { title: "nnual" }, []],
  ["a word of an identifier", { title: "user" }, [5]],
  ["characters of a script without spaces", { title: "東京" }, [6]],
  ["a file name", { title: "A.PDF" }, [3]],
  ["words of a file name, and of a title in another document", { title: "c" }, [4, 2, 1]],
  ["a folder", { title: "docs" }, []],
  ["a sign that only titles are normalized to letters", { title: "₨" }, []],
  ["the end of a path", { title: "b/c.pdf" }, [4]],
  ["a word of the title and one of the file name", { title: "annual pdf" }, []],
  ["wildcards of GLOB", { title: "[an]* ?" }, [3]],
  ["the title of a document with a tag", { title: "c", tags: ["food"] }, [2, 1]],
];
Deno.test("a query lists all matches once, with their number", async (t) => {
  await using store = await library();
  for (const [what, request, expected] of FILTERS) {
    await t.step(`by ${what}`, () => {
      assertEquals(ids(store, request), expected);
      assertEquals(ids(store, request, 50), expected);
    });
  }
});

Deno.test("a query by time uses the last change", async () => {
  await using store = await library();
  store.write("changeTags", 1, { remove: [], add: ["new"] });
  const { updated_at } = store.document(1);
  assertEquals(ids(store, { since: String(updated_at) }), [1]);
  assertEquals(ids(store, { until: String(store.document(2).created_at) }), [2]);
  assertEquals(ids(store, { since: "2026-01-01", until: "2026-01-01" }), [1, 6, 5, 4, 3, 2]);
  assertThrows(
    () => query(store, { since: "9999-12-31T23:59:59-12:00" }),
    KnowledgeBaseError,
    "since must be",
  );
});

const ORDERS: [DocumentListRequest, number[]][] = [
  [{ sort: "updated" }, [2, 6, 5, 4, 3, 1]],
  [{ sort: "updated", order: "asc" }, [1, 3, 4, 5, 6, 2]],
  [{ sort: "created" }, [6, 5, 4, 3, 2, 1]],
  [{ sort: "created", order: "asc" }, [1, 2, 3, 4, 5, 6]],
  [{ sort: "title" }, [3, 1, 2, 5, 4, 6]],
  [{ sort: "title", order: "desc" }, [6, 4, 5, 2, 1, 3]],
  [{ sort: "used" }, [4, 2, 6, 5, 3, 1]],
  [{ sort: "size", tags_none: ["Work"] }, [6, 4, 2, 3, 1]],
  [{ sort: "size", order: "asc", tags_none: ["Work"] }, [1, 3, 2, 4, 6]],
];
Deno.test("a query sorts documents", async (t) => {
  await using store = await library();
  store.write("changeTags", 2, { remove: [], add: ["new"] });
  store.db.exec("INSERT INTO document_usage VALUES (2, 3, '2026-01-01'), (4, 20, '2026-01-01')");
  for (const [request, expected] of ORDERS) {
    await t.step(`by ${request.sort} ${request.order ?? ""}`, () => {
      assertEquals(ids(store, request, 1), expected);
      assertEquals(ids(store, request, 4), expected);
    });
  }
});

Deno.test("a page of a list continues after its last document while others are added and removed", async () => {
  await using store = await library();
  const first = query(store, { sort: "title", limit: 3 });
  store.addNote("early", { title: "AAA" });
  store.write("deleteDocument", 2);
  const next = query(store, { sort: "title", limit: 3, cursor: String(first.next_cursor) });
  assertEquals(next.documents?.map(({ document_id }) => document_id), [5, 4, 6]);
  assertEquals([next.total, next.next_cursor], [6, null]);
});

Deno.test("a cursor is rejected by another query and by another listing", async () => {
  await using store = await library();
  const request: DocumentListRequest = { tags: ["food"], limit: 1 };
  const cursor = String(query(store, request).next_cursor);
  assert(query(store, { ...request, limit: 2, cursor }).documents?.length === 2);
  const others: DocumentListRequest[] = [
    {},
    { tags: ["food", "work"] },
    { ...request, sort: "title" },
    { ...request, order: "asc" },
    { ...request, group_by: "day" },
    { ...request, title: "a" },
    { ...request, metadata: { a: 1 } },
  ];
  for (const other of others) {
    const error = assertThrows(() => query(store, { ...other, cursor }), KnowledgeBaseError);
    assertEquals([error.code, error.message.includes("same list")], ["invalid", true]);
  }
  for (const wrong of ["x", "W10", "WyJhIiwxLjVd", "WzEsMiwzXQ"]) {
    assertThrows(
      () => query(store, { cursor: wrong }),
      KnowledgeBaseError,
      "next_cursor of the previous page",
    );
  }
});

const GROUPS: [DocumentListRequest, [string | null, number][]][] = [
  [{ group_by: "tag" }, [["food", 3], ["work", 2], ["Work", 1]]],
  [{ group_by: "tag", collections: ["memory"] }, [["food", 2], ["work", 1]]],
  [{ group_by: "tag", tags: ["unknown"] }, []],
  [{ group_by: "collection" }, [[null, 2], ["memory", 2], ["documents", 1], ["workspace", 1]]],
  [{ group_by: "collection", doc_type: "pdf" }, [[null, 1], ["documents", 1]]],
  [{ group_by: "collection", tags: ["collection:memory"] }, [["memory", 2]]],
  [{ group_by: "kind" }, [["note", 4], ["pdf", 2]]],
  [{ group_by: "kind", title: "report" }, [["pdf", 2]]],
  [{ group_by: "day" }, [["2026-02-03", 1], ["2026-01-02", 2], ["2026-01-01", 3]]],
  [{ group_by: "day", tags: ["food"] }, [["2026-02-03", 1], ["2026-01-02", 1], ["2026-01-01", 1]]],
];
Deno.test("a query counts documents by a key", async (t) => {
  await using store = await library();
  store.db.exec("UPDATE documents SET created_at = '2026-01-02T12:00:00.000Z' WHERE id IN (1, 4)");
  store.db.exec("UPDATE documents SET updated_at = '2026-02-03T12:00:00.000Z' WHERE id = 2");
  for (const [request, expected] of GROUPS) {
    await t.step(JSON.stringify(request), () => {
      assertEquals(groups(store, request, 1), expected);
      assertEquals(groups(store, request, 50), expected);
    });
  }
});

Deno.test("the total of groups is the number of documents, not of groups", async () => {
  await using store = await library();
  assertEquals(query(store, { group_by: "tag", limit: 1 }).total, 6);
  assertEquals(query(store, { group_by: "kind", tags: ["food"] }).total, 3);
});

Deno.test("metadata that is nested too deeply for SQLite matches nothing, and leaves the others to be found", async () => {
  await using store = await library();
  const nested = `{"status":${"[".repeat(1500)}"done"${"]".repeat(1500)}}`;
  store.db.prepare("UPDATE documents SET metadata = ? WHERE id = 6").run(nested);
  assertEquals(ids(store, { metadata: { status: "done" } }), [5]);
});

Deno.test("a title without words is rejected", async () => {
  await using store = await library();
  assertThrows(
    () => query(store, { title: "?!" }),
    KnowledgeBaseError,
    'title must contain a word, got "?!"',
  );
});

Deno.test("rare and common tags list the same documents in every order", async () => {
  await using store = await TestStore.open({ maxQueuedJobs: 5000 });
  for (let i = 0; i < 1100; i++) {
    store.operations.createJob({
      text: `note ${i}`,
      contentHash: "",
      sizeBytes: i % 7,
      tags: i < 5 ? ["common", "rare"] : ["common"],
    });
  }
  store.write("ingestNotes", 1100);
  for (const sort of ["updated", "created", "title", "size"] as const) {
    const rare = ids(store, { tags: ["common", "rare"], sort }, 3);
    const common = ids(store, { tags: ["common"], sort }, 200);
    assertEquals([rare.length, common.length, new Set(common).size], [5, 1100, 1100]);
    assertEquals(common.filter((id) => Number(id) <= 5), rare);
  }
});
