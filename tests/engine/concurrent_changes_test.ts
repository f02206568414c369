import { assert, assertEquals } from "@std/assert";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { dataDirAt } from "../../src/engine/sqlite/store/data_dir.ts";
import { openForWriting } from "../../src/engine/sqlite/store/open.ts";
import { EmbeddedEngine, type ParsedResponse } from "../support/embedded_engine.ts";
import { seededRandom } from "../support/random.ts";
import { checkIntegrity } from "./sqlite/store/test_store.ts";

const ROUNDS = 300;
const AGENTS = ["a", "b"] as const;

/** A document as an agent sees it, live or deleted. */
interface State {
  readonly version: number;
  readonly isDeleted: boolean;
  readonly text: string;
  readonly collection: string;
}

/** A change, and the fields that it sets. */
interface Change {
  readonly route: "updateNote" | "editDocument" | "changeTags" | "deleteDocument" | "restoreDocument";
  readonly body?: unknown;
  readonly sets: Partial<State>;
}

function randomChange(agent: string, round: number, kind: number): Change {
  const text = `text ${round} of ${agent}`;
  const collection = `${agent}${round}`;
  switch (kind) {
    case 0:
      return { route: "updateNote", body: { text }, sets: { text } };
    case 1:
      return { route: "editDocument", body: { append: text, add_tags: [collection] }, sets: {} };
    case 2: {
      const body = { remove: [], remove_prefix: "collection:", add: [`collection:${collection}`] };
      return { route: "changeTags", body, sets: { collection } };
    }
    case 3:
      return { route: "deleteDocument", sets: { isDeleted: true } };
    default:
      return { route: "restoreDocument", body: {}, sets: { isDeleted: false } };
  }
}

/** Reads the document. Fails unless it is either live or deleted, and in one collection. */
async function stateOf(engine: EmbeddedEngine, id: number): Promise<State> {
  const [{ status, body: live }, { body: trash }] = await Promise.all([
    engine.call("getDocument", { id }),
    engine.call("listTrash"),
  ]);
  const isDeleted = trash.total === 1;
  assertEquals(status, isDeleted ? 404 : 200);
  const version = isDeleted ? trash.documents[0].version : live.version;
  const { body } = isDeleted ? await engine.call("getDocument", { id, query: { version } }) : { body: live };
  const collections = body.tags.filter((tag: string) => tag.startsWith("collection:"));
  assertEquals([collections.length, body.chunk_count, body.chunks.length], [1, 1, 1]);
  return { version, isDeleted, text: body.chunks[0].text, collection: collections[0].slice(11) };
}

Deno.test("two agents that edit, move, delete and restore one document lose no update", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id } = await engine.ingest({ text: "start", tags: ["collection:documents"] });
  const id = Number(document_id);
  const random = seededRandom(12);
  let before = await stateOf(engine, id);
  const counts = { conditional: 0, conflicts: 0, deleted: 0, restored: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const isConditional = round % 4 !== 0;
    // A deleted document has no version to expect.
    const isExpected = isConditional && !before.isDeleted;
    const headers = isExpected ? { "if-match": `"${before.version}"` } : {};
    const kind = () => before.isDeleted && random.int(2) === 0 ? 4 : random.int(5);
    const changes = AGENTS.map((agent) => randomChange(agent, round, kind()));
    const responses = await Promise.all(
      changes.map(({ route, body }, at) =>
        engine.call(route, { id, body, headers: { ...headers, "x-kb-actor": AGENTS[at] ?? "" } })
      ),
    );
    const after = await stateOf(engine, id);
    const made = changes.filter((_, at) => isMade(responses.slice(0, at), responses[at], before));
    if (isExpected) {
      counts.conditional++;
      counts.conflicts += responses.filter(({ status }) => status === 412).length;
      // A change that loses says so and has no effect.
      assert(made.length <= 1, JSON.stringify([changes, responses.map(({ body }) => body)]));
      assertEquals({ ...after, ...made[0]?.sets }, after);
    }
    if (made.length === 0) assertEquals(after, before);
    const deleted = made.filter(({ route }) => route === "deleteDocument").length;
    assertEquals(after.version, before.version + made.length - deleted);
    counts.deleted += deleted;
    counts.restored += made.filter(({ route }) => route === "restoreDocument").length;
    before = after;
  }
  assert(counts.conflicts > counts.conditional / 2 && counts.deleted > 30 && counts.restored > 30);
  const { body: { results } } = await engine.call("search", { body: { query: before.text } });
  assertEquals(results.length, before.isDeleted ? 0 : 1);
  const { body: { total, revisions } } = await engine.call("listRevisions", { id, query: { limit: "50" } });
  const versions = revisions.map(({ version }: { version: number }) => version);
  const newest = before.isDeleted ? before.version : before.version - 1;
  assertEquals([total, versions], [20, Array.from({ length: 20 }, (_, i) => newest - i)]);
  await engine.close();
  using db = openForWriting(dataDirAt(engine.dataDir), () => "2026-01-01T00:00:00.000Z");
  checkIntegrity(db);
});

Deno.test("a document is returned as of one commit, though another one happens while it is read", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id: id } = await engine.ingest({ text: "a note", tags: ["collection:memory"] });
  using other = new DatabaseSync(`${engine.dataDir}/kb.db`);
  const read = async () => {
    const { body } = await engine.call("getDocument", { id: Number(id) });
    return [body.version, body.tags];
  };
  const { all } = StatementSync.prototype;
  using restore = new DisposableStack();
  restore.defer(() => StatementSync.prototype.all = all);
  let commits = 0;
  StatementSync.prototype.all = function (...params: unknown[]) {
    if (this.sourceSQL.includes("document_tags") && commits++ === 0) {
      other.exec(
        "BEGIN; UPDATE tags SET name = 'collection:documents'; UPDATE documents SET version = 2; COMMIT",
      );
    }
    return Reflect.apply(all, this, params);
  };
  assertEquals(await read(), [1, ["collection:memory"]]);
  assertEquals(await read(), [2, ["collection:documents"]]);
});

/**
 * Whether a response reports a change. Restoring what the document already is makes no version: it returns the
 * one from before, or that of an earlier response.
 */
function isMade(
  earlier: readonly ParsedResponse[],
  response: ParsedResponse | undefined,
  before: State,
): boolean {
  const { status = 0, body } = response ?? {};
  if (status !== 200) assert([404, 412].includes(status), JSON.stringify(body));
  const isNew = body.version > before.version && earlier.every((each) => each.body.version !== body.version);
  return status === 200 && (body.status === "deleted" || isNew);
}
