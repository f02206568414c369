import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import type { ImportedDocument } from "../../../src/contract/mod.ts";
import { readBasicMemory } from "../../../src/transfer/formats/basic_memory.ts";
import { readJsonl } from "../../../src/transfer/formats/jsonl.ts";
import { readMcpMemoryService } from "../../../src/transfer/formats/mcp_memory_service.ts";
import { readObsidian } from "../../../src/transfer/formats/obsidian.ts";
import { readServerMemory } from "../../../src/transfer/formats/server_memory.ts";
import { findFormat } from "../../../src/transfer/mod.ts";
import { ImportInput } from "../../../src/transfer/input.ts";
import { DESTINATION, readItems, withFiles } from "./read_items.ts";

Deno.test("an Obsidian vault gives notes with their tags, and attachments", async () => {
  await withFiles({
    "vault/.obsidian/templates.json": '{"folder": "Vorlagen"}',
    "vault/.trash/old.md": "old",
    "vault/Vorlagen/daily.md": "{{date}}",
    "vault/Empty.md": "---\ntitle: x\n---\n",
    "vault/Kitchen/Tea.md":
      "---\ntags: [drink]\naliases: [Chai]\ncreated: 2024-03-31\n---\nSee [[Milk#Cold|milk]] #hot/green, `#code` and ![[leaf.png]].\n",
    "vault/Kitchen/report.pdf": "%PDF",
    "vault/Slides.PPTX": "PK",
    "vault/leaf.png": "png",
    "vault/main.ts": "code",
  }, async (root) => {
    const found = await readItems(readObsidian(await ImportInput.open(`${root}/vault`), DESTINATION));
    const { "Kitchen/Tea.md": tea, ...others } = found.documents;
    assertEquals(others, {});
    const { content_hash: _, size_bytes, ...document } = tea!;
    assertEquals(size_bytes, 120);
    assertEquals(document, {
      title: "Tea",
      doc_type: "markdown",
      text: "See [[Milk#Cold|milk]] #hot/green, `#code` and ![[leaf.png]].\n",
      source_path: "vault/Kitchen/Tea.md",
      tags: ["collection:documents", "imported", "drink", "hot/green"],
      metadata: { tags: ["drink"], aliases: ["Chai"], created: "2024-03-31" },
      created_at: "2024-03-31T00:00:00.000Z",
    });
    // Of the formats that folders are added with.
    assertEquals(found.files, {
      "Kitchen/report.pdf": { sourcePath: "vault/Kitchen/report.pdf", size: 4 },
      "Slides.PPTX": { sourcePath: "vault/Slides.PPTX", size: 2 },
    });
    assertEquals(found.skipped, {
      "Empty.md": "empty notes",
      "Vorlagen/daily.md": "templates",
      "leaf.png": "files of the type .png",
      "main.ts": "files of the type .ts",
    });
  });
});

Deno.test("notes of basic-memory come from its folder or its database", async () => {
  const note = "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\ntags: [brew]\n---\n# Coffee\n\n" +
    "- [method] Pour over is clean #brewing #filter (daily)\n- [ ] buy beans #todo\n- pairs_with [[Milk]]\n";
  await withFiles({ "drinks/Coffee.md": note }, async (root) => {
    const { documents } = await readItems(readBasicMemory(await ImportInput.open(root), DESTINATION));
    const { tags, title, source_path, metadata, doc_type } = documents["drinks/Coffee.md"]!;
    assertEquals([title, source_path, doc_type], ["Coffee", "basic-memory/drinks/Coffee.md", "note"]);
    assertEquals(tags, ["collection:documents", "imported", "brew", "brewing", "filter"]);
    assertEquals(metadata?.["permalink"], "drinks/coffee");

    const db = new DatabaseSync(`${root}/memory.db`);
    db.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE entity (id INTEGER PRIMARY KEY, title TEXT, entity_type TEXT, entity_metadata TEXT,
        content_type TEXT, permalink TEXT, file_path TEXT, created_at TEXT, updated_at TEXT);
      CREATE TABLE observation (id INTEGER PRIMARY KEY, entity_id INTEGER, content TEXT, category TEXT, context TEXT, tags TEXT);
      CREATE TABLE relation (id INTEGER PRIMARY KEY, from_id INTEGER, to_id INTEGER, to_name TEXT, relation_type TEXT, context TEXT);
      INSERT INTO entity VALUES
        (1, 'Tea', 'note', '{"status": "done"}', 'text/markdown', 'tea', 'Tea.md', '2024-03-31 07:00:00.5', '2024-04-01 07:00:00'),
        (2, 'Photo', 'file', NULL, 'image/png', NULL, 'photo.png', NULL, NULL);
      INSERT INTO observation VALUES (1, 1, 'Green is best', 'taste', 'morning', '["green"]');
      INSERT INTO relation VALUES (1, 1, NULL, 'Water', 'needs', NULL);
    `);
    // The write-ahead log has the rows while the other program runs.
    const { documents: rows, skipped } = await readItems(
      readBasicMemory(await ImportInput.open(`${root}/memory.db`), DESTINATION),
    );
    db.close();
    const tea = rows["Tea.md"]!;
    assertEquals(
      tea.text,
      "## Observations\n\n- [taste] Green is best #green (morning)\n\n## Relations\n\n- needs [[Water]]",
    );
    assertEquals([tea.title, tea.created_at, tea.updated_at], [
      "Tea",
      "2024-03-31T07:00:00.500Z",
      "2024-04-01T07:00:00.000Z",
    ]);
    assertEquals([tea.metadata, tea.tags], [
      { type: "note", permalink: "tea", status: "done" },
      ["collection:documents", "imported", "green"],
    ]);
    assertEquals(skipped, { "photo.png": "files that are not notes" });
    assertEquals([await findFormat(root), await findFormat(`${root}/memory.db`)], [
      "basic-memory",
      "basic-memory",
    ]);
  });
});

Deno.test("memories of mcp-memory-service come from its database or its JSON export", async () => {
  const memory = {
    content: "The kettle is red.",
    content_hash: "abc123",
    tags: ["kitchen"],
    memory_type: "fact",
    metadata: { source: "chat" },
    created_at: 1711868400,
    updated_at: 1711872000,
  };
  const expected: ImportedDocument = {
    doc_type: "note",
    text: "The kettle is red.",
    source_path: "mcp-memory-service/abc123",
    tags: ["collection:documents", "imported", "kitchen"],
    metadata: { source: "chat", memory_type: "fact" },
    created_at: "2024-03-31T07:00:00.000Z",
    updated_at: "2024-03-31T08:00:00.000Z",
  };
  const json = JSON.stringify({
    export_metadata: { tags: ["[{"] },
    memories: [memory, { content_hash: "x" }],
  });
  await withFiles({ "export.json": json }, async (root) => {
    const read = async (name: string) =>
      await readItems(readMcpMemoryService(await ImportInput.open(`${root}/${name}`), DESTINATION));
    const fromJson = await read("export.json");
    assertEquals(fromJson.documents, { "memory abc123": expected });
    assertEquals(fromJson.errors, { "memory x": "It must have content" });
    using db = new DatabaseSync(`${root}/sqlite_vec.db`);
    db.exec(
      `CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
      tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT,
      updated_at_iso TEXT, deleted_at REAL DEFAULT NULL)`,
    );
    const insert = db.prepare("INSERT INTO memories VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?)");
    insert.run(
      "abc123",
      memory.content,
      "kitchen",
      "fact",
      '{"source": "chat"}',
      1711868400,
      1711872000,
      null,
    );
    insert.run("gone", "Deleted", "", null, "not json", 1, 1, 1711872000.5);
    const { documents, skipped } = await read("sqlite_vec.db");
    assertEquals(documents, { "memory abc123": expected });
    assertEquals(skipped, { "memory gone": "deleted memories" });
    for (const name of ["export.json", "sqlite_vec.db"]) {
      assertEquals(await findFormat(`${root}/${name}`), "mcp-memory-service");
    }
  });
});

Deno.test("entities of server-memory are notes with observations and relations", async () => {
  const lines = [
    { type: "entity", name: "Ann", entityType: "person", observations: ["Likes tea", ""] },
    { type: "relation", from: "Ann", to: "Bob", relationType: "knows" },
    { type: "other" },
  ];
  await withFiles(
    { "memory.json": `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{` },
    async (root) => {
      const input = await ImportInput.open(`${root}/memory.json`);
      const { documents, errors } = await readItems(readServerMemory(input, DESTINATION));
      assertEquals(await findFormat(input.path), "server-memory");
      assertEquals(documents["Ann"]?.text, "# Ann\n\n- Likes tea\n\n- knows [[Bob]]");
      assertEquals(documents["Ann"]?.tags, ["collection:documents", "imported", "person"]);
      assertEquals(errors, {
        "line 3": "It must be an entity or a relation",
        "line 4": "It must be one JSON object",
      });
    },
  );
});

Deno.test("JSONL has a document in each line, and errors name their line", async () => {
  const lines = [
    '\ufeff{"text": "Tea", "title": "T", "tags": ["a"], "collection": "memory", "source_path": "x/1", "created_at": 1711868400}',
    "",
    '{"text": " "}',
    '{"text": "Milk", "created_at": "soon"}',
    "not json",
    '{"text": "Milk", "kind": "markdown", "metadata": {"k": 1}, "unknown": 1}',
  ];
  await withFiles({ "a.jsonl": lines.join("\n") }, async (root) => {
    const input = await ImportInput.open(`${root}/a.jsonl`);
    const { documents, errors } = await readItems(readJsonl(input, DESTINATION));
    assertEquals(documents, {
      "line 1": {
        title: "T",
        doc_type: "note",
        text: "Tea",
        source_path: "x/1",
        tags: ["collection:memory", "a", "imported"],
        created_at: "2024-03-31T07:00:00.000Z",
      },
      "line 6": {
        doc_type: "markdown",
        text: "Milk",
        tags: ["collection:documents", "imported"],
        metadata: { k: 1 },
      },
    });
    assertEquals(Object.keys(errors), ["line 3", "line 4", "line 5"]);
    assertEquals(errors["line 3"], "text must not be empty");
  });
});
