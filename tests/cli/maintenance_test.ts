import { assertEquals, assertStringIncludes } from "@std/assert";
import { describeReport, repairJson } from "../../src/cli/repair_report.ts";

const REPORT = {
  rows: { documents: 2, chunks: 2, tags: 1, jobs: 0, chunk_vectors: 0 },
  lost: [],
  incomplete: [],
  untagged: [],
  missingCommits: 0,
  unclaimedFiles: 0,
  kept: ["kb.db.damaged-1"],
};
const RECOVERED =
  "Recovered 2 documents with 2 chunks, 1 tag, 0 jobs and 0 vectors. The search index was rebuilt.\n";
const KEPT = "Kept the previous files: kb.db.damaged-1. Remove them when you no longer need them.\n";

Deno.test("the report of a repair names documents that lost tags", () => {
  const untagged = [{ id: 7, title: "Seven", sourcePath: null }];
  assertEquals(
    describeReport({ ...REPORT, untagged }),
    `${RECOVERED}Tags or the collection of 1 document are lost or could not be read:\n  7 "Seven"\n${KEPT}`,
  );
});

Deno.test("the report of a repair counts former versions", () => {
  const report = { ...REPORT, rows: { ...REPORT.rows, revisions: 3 } };
  assertStringIncludes(describeReport(report), "Recovered 3 former or deleted versions of documents.\n");
});

Deno.test("the report of a repair separates unknown from no losses", () => {
  assertEquals(describeReport(REPORT), RECOVERED + KEPT);
  assertEquals(
    describeReport({ ...REPORT, missingCommits: undefined, untagged: undefined }),
    RECOVERED +
      "Whether the latest changes are missing cannot be determined: their number in kb.db is damaged.\n" +
      "The tags and collections of all documents could not be read, and are lost.\n" + KEPT,
  );
});

Deno.test("the report of a repair for programs has null for what could not be determined", () => {
  const lost = [{ id: 7, title: "Seven", sourcePath: null }];
  assertEquals(repairJson({ ...REPORT, lost, missingCommits: undefined, untagged: undefined }), {
    recovered: REPORT.rows,
    lost: [{ document_id: 7, title: "Seven", source_path: null }],
    incomplete: [],
    untagged: null,
    missing_commits: null,
    unclaimed_files: 0,
    kept: ["kb.db.damaged-1"],
  });
});
