import { assertEquals, assertMatch } from "@std/assert";
import { CommitMarker } from "../../src/engine/sqlite/store/commit_marker.ts";
import { killedStore } from "../engine/sqlite/store/test_store.ts";
import { runProgram, startProgram } from "../support/program.ts";

Deno.test("damaged data is refused with one line and status 65", async () => {
  await using dir = await killedStore(3);
  await Deno.truncate(`${dir.database}-wal`, 5000);
  const { code, stdout, stderr } = await runProgram(["serve"], { KB_DATA_DIR: dir.path });
  assertEquals([code, stdout], [65, ""]);
  assertMatch(stderr, /^kb-mcp: Cannot open kb\.db in KB_DATA_DIR "[^\n]+kb-mcp repair"\n$/);
});

Deno.test("backup copies the data of a running server, and repair makes damaged data usable again", async () => {
  await using dir = await killedStore(3);
  const env = { KB_DATA_DIR: dir.path };
  const file = `${dir.path}/kb-backup.db`;
  {
    await using _server = await startProgram(["engine"], env);
    const { code, stdout, stderr } = await runProgram(["backup", file], env);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^Wrote 3 documents to .*kb-backup\.db \(\d+\.\d MiB\), and checked the copy\.\n/);
    assertEquals((await runProgram(["repair"], env)).code, 64);
  }
  const again = await runProgram(["backup", file], env);
  assertEquals(again.code, 64);
  assertMatch(again.stderr, /^kb-mcp: Cannot write the backup to "[^\n]+": it exists\. [^\n]+\n$/);
  assertEquals((await runProgram(["backup"], env)).code, 64);

  {
    using marker = CommitMarker.open(dir.marker);
    marker.write({ commit: 10, closed: undefined });
  }
  assertEquals((await runProgram(["engine"], env)).code, 65);
  const repaired = await runProgram(["repair"], env);
  assertEquals([repaired.code, repaired.stderr], [0, ""]);
  assertMatch(
    repaired.stdout,
    /^Recovered 3 documents with [^]+\n\d acknowledged changes did [^]+\nKept the previous files: kb\.db\.damaged-/,
  );
  const report = JSON.parse((await runProgram(["repair", "--json"], env)).stdout);
  assertEquals([report.data_dir, report.recovered.documents, report.missing_commits], [dir.path, 3, 0]);
  await using _server = await startProgram(["engine"], env);
});
