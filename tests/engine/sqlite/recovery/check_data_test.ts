import { assertEquals, assertMatch } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { checkData } from "../../../../src/engine/sqlite/recovery/mod.ts";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { createDatabase, openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { timestamp } from "../../../../src/engine/sqlite/store/sql.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { killedStore, TestStore } from "../store/test_store.ts";

/** Returns the parts that are not ok, with their messages. */
function findings(path: string): string[] {
  return checkData(path).parts.filter(({ state }) => state !== "ok")
    .map(({ name, state, message }) => `${name} ${state}: ${message}`);
}

Deno.test("check finds nothing in the data of a running writer", async () => {
  await using store = await TestStore.open();
  store.addNote("a note about zebras");
  store.recordCommit();
  assertEquals(findings(store.dir.path), []);
  assertEquals(checkData(store.dir.path).parts.map(({ name }) => name), [
    "commits",
    "database",
    "references",
    "texts",
    "full text",
    "word forms",
    "chunk lengths",
    "vectors",
    "queue",
  ]);
  const lengths = checkData(store.dir.path).parts.find(({ name }) => name === "chunk lengths");
  assertEquals(lengths?.message, "none are stored for so few chunks");
});

Deno.test("check finds no damage in the data of an older version before its migration", async () => {
  for (const next of ["search_parts", "contents", "chunk_columns", "vector_pages"]) {
    await using dir = await temporaryFolder();
    const end = MIGRATIONS.findIndex(({ name }) => name === next);
    const applied = MIGRATIONS.slice(0, end).map(({ name }) => name);
    createDatabase(await createDataDir(dir.path), applied, timestamp);
    const damage = findings(dir.path).filter((line) => !line.includes(" warning: not there yet: "));
    assertEquals(damage, [], `before ${next}`);
  }
});

const ADD_SET =
  "INSERT INTO embedding_sets (model, document_prefix, dimensions, status, created_at) VALUES ('m', '', 3, 'serving', '')";

const DAMAGE: [sql: string, finding: RegExp][] = [
  ["UPDATE last_commit SET number = 0", /^commits damaged: .* commit 3 was acknowledged/],
  ["PRAGMA foreign_keys = OFF; DELETE FROM documents WHERE id = 1", /^references damaged: 1 rows of /],
  ["DELETE FROM chunks_fts_docsize WHERE id = 2", /^full text damaged: 1 chunks are not in it/],
  [
    "INSERT INTO derived_fts (rowid, body) VALUES (99, 'x')",
    /^word forms damaged: .* 1 of its rows have no chunk/,
  ],
  [
    "UPDATE search_text_unicode SET version = '9.0'",
    /^full text warning: built with Unicode 9\.0, this program has .* until kb-mcp repair builds it again$/,
  ],
  [
    "UPDATE chunk_columns_coverage SET last_chunk = 3",
    /^chunk lengths damaged: those of chunk 1 are wrong/,
  ],
  [
    "UPDATE chunks_fts_data SET block = x'00ff' WHERE id > 10",
    /^database damaged: fts5: .*\nfull text damaged: /,
  ],
  [
    `${ADD_SET}; INSERT INTO chunk_vectors VALUES (1, 1, 1, x'00')`,
    /^vectors damaged: 1 vectors have the wrong size/,
  ],
  [
    `${ADD_SET}; INSERT INTO vector_pages VALUES (1, 1, 1, 0, 0, 0, 0, x'00')`,
    /^vectors warning: 1 pages of codes cannot be read/,
  ],
  [
    ADD_SET,
    /^vectors warning: .* 3 chunks have none yet/,
  ],
  [
    "UPDATE jobs SET spool_file = 'gone', status = 'queued' WHERE id = 1",
    /^queue warning: the files of 1 queued jobs are missing/,
  ],
];
for (const [sql, finding] of DAMAGE) {
  Deno.test(`check finds the damage of ${sql.slice(0, 60)}`, async () => {
    await using dir = await killedStore(3);
    {
      using db = new DatabaseSync(dir.database);
      (db as DatabaseSync & { enableDefensive(active: boolean): void }).enableDefensive(false);
      db.exec(sql);
    }
    const found = findings(dir.path);
    assertMatch(found.join("\n"), finding);
    assertEquals(checkData(dir.path).isIntact, !found.some((line) => line.includes(" damaged: ")));
  });
}

Deno.test("check counts the files of unfinished jobs, not those that are kept for a retry", async () => {
  await using store = await TestStore.open();
  const ids = ["queued", "running", "failed", "cancelled"].map((name) => {
    const job = { spoolFile: name, contentHash: name, sizeBytes: 1, tags: [] };
    return Number(store.write("createJob", job).job_id);
  });
  store.write("cancelJob", ids[3]!);
  for (const _ of ["queued", "running", "failed"]) store.write("claimFiles");
  store.write("releaseFile", ids[0]!);
  store.write("failJob", ids[2]!, "damaged", "it is broken");
  store.recordCommit();
  const queue = () => checkData(store.dir.path).parts.find(({ name }) => name === "queue");
  assertEquals(queue()?.message, "the files of 2 queued jobs are missing: these jobs will fail");
  for (const name of ["queued", "running"]) await Deno.writeTextFile(`${store.dir.spool}/${name}`, "x");
  assertEquals(queue(), { name: "queue", state: "ok", message: "2 files are queued" });
});

Deno.test("check reports a damaged page and a missing database", async () => {
  await using dir = await killedStore(3);
  openForWriting(dir, timestamp).close(); // applies the log
  const bytes = await Deno.readFile(dir.database);
  await Deno.writeFile(dir.database, bytes.fill(0x5a, 3 * 4096, 9 * 4096));
  assertEquals(checkData(dir.path).isIntact, false);
  await Deno.writeFile(dir.database, bytes.fill(0x5a));
  assertMatch(findings(dir.path).join(), /^database damaged: .*not a database/);
});
