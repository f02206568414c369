import { assert, assertEquals } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { type Random, seededRandom } from "../support/random.ts";

/*
 * Responses of an engine that are random, or valid except for random changes. Whatever it sends, a call returns
 * a result of the contract or fails with an `EngineError`, and a write counts as done only with a confirmation.
 */

const ROUNDS = 400;

const DOCUMENT = {
  document_id: 7,
  title: "T",
  doc_type: "note",
  tags: ["a"],
  chunks: [{ chunk_id: 1, text: "x" }],
};
const JOB = { job_id: 7, status: "done", document_id: 7 };
const RESULT = { chunk_id: 1, document_id: 7, score: 1, text: "x", tags: [] };

interface Call {
  readonly send: (client: EngineClient) => Promise<unknown>;
  readonly valid: unknown;
  /** Whether a result, which was accepted, follows from the response. Only for writes. */
  readonly isConfirmedBy?: (body: Record<string, unknown>) => boolean;
}

const sameId = (id: unknown) => id === undefined || Number(id) === 7;
const isDeletion = ({ status, deleted, ok, success }: Record<string, unknown>) =>
  /^(?:deleted|ok|success)$/i.test(String(status)) || [deleted, ok, success].includes(true);

const CALLS: Readonly<Record<string, Call>> = {
  status: { send: (c) => c.status(), valid: { version: "3.1.0", documents: { total: 1 } } },
  search: {
    send: (c) => c.search({ query: "x", tags_any: ["a"], detail: "context" }),
    valid: { results: [RESULT, RESULT] },
  },
  job: { send: (c) => c.job(7), valid: JOB },
  jobs: { send: (c) => c.jobs(), valid: { jobs: [JOB, JOB], total: 2 } },
  document: { send: (c) => c.document(7, { offset: 0, limit: 1 }), valid: DOCUMENT },
  documents: { send: (c) => c.documents(), valid: { documents: [DOCUMENT], next_cursor: "c" } },
  addNote: {
    send: (c) => c.addNote({ text: "x", tags: [] }),
    valid: { job_id: 7, status: "queued" },
    isConfirmedBy: ({ job_id, id }) => (job_id ?? id ?? undefined) !== undefined,
  },
  changeTags: {
    send: (c) => c.changeTags(7, { add: ["a"] }),
    valid: { document_id: 7, tags: ["a"] },
    isConfirmedBy: ({ document_id, id }) => sameId(document_id ?? id),
  },
  updateNote: {
    send: (c) => c.updateNote(7, { text: "x" }),
    valid: DOCUMENT,
    isConfirmedBy: ({ document_id, id }) => (document_id ?? id) !== undefined && sameId(document_id ?? id),
  },
  deleteDocument: {
    send: (c) => c.deleteDocument(7),
    valid: { status: "deleted", document_id: 7 },
    isConfirmedBy: (body) => isDeletion(body) && sameId(body["document_id"] ?? body["id"]),
  },
};

const SCALARS = [
  null,
  true,
  false,
  0,
  -1,
  7,
  1e308,
  0.5,
  "",
  "7",
  "deleted",
  "ok",
  "\u202e\0",
  "x".repeat(3_000),
];
const NAMES = [
  ..."document_id id job_id chunk_id status deleted ok success results jobs documents items tags total".split(
    " ",
  ),
  ..."version vectors chunks text content title error detail message code __proto__ constructor toString"
    .split(" "),
];

/** Returns a random JSON value. */
function randomValue(random: Random, depth = 0): unknown {
  const kind = random.int(depth > 4 ? 6 : 10);
  if (kind < 6) return random.pick(SCALARS);
  const size = random.int(5);
  if (kind < 8) return Array.from({ length: size }, () => randomValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [random.pick(NAMES), randomValue(random, depth + 1)]),
  );
}

/** Returns a copy in which some values are replaced, removed or nested, and some fields are added. */
function mutated(value: unknown, random: Random): unknown {
  const choice = random.int(12);
  if (choice === 0) return randomValue(random);
  if (choice === 1) return [value];
  if (choice === 2) return { results: value, id: random.pick(SCALARS) };
  if (Array.isArray(value)) return value.map((item) => mutated(item, random));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(() => random.int(8) > 0)
    .map((
      [name, field],
    ): [string, unknown] => [random.int(12) > 0 ? name : random.pick(NAMES), mutated(field, random)]);
  if (random.int(3) === 0) fields.push([random.pick(NAMES), randomValue(random)]);
  return Object.fromEntries(fields);
}

/** Returns a response body: JSON, JSON that is cut off, deep nesting, or bytes. */
function randomBody(valid: unknown, random: Random): BodyInit {
  const json = JSON.stringify(random.int(2) === 0 ? mutated(valid, random) : randomValue(random));
  switch (random.int(12)) {
    case 0:
      return json.slice(0, random.int(json.length + 1));
    case 1:
      return `${"[".repeat(random.int(5_000))}${json}`;
    case 2:
      return Uint8Array.from({ length: random.int(40) }, () => random.int(256));
    default:
      return json;
  }
}

function parsed(body: BodyInit): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array));
  } catch {
    return undefined;
  }
}

const STATUSES = [200, 200, 200, 202, 204, 400, 404, 409, 422, 429, 500, 503, 507];

for (const [name, { send, valid, isConfirmedBy }] of Object.entries(CALLS)) {
  Deno.test(`${name}: random responses give a result or an EngineError, and confirm no write by accident`, async () => {
    const random = seededRandom(name.length * 1_000 + name.charCodeAt(0));
    let accepted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const sent: { status: number; body: BodyInit | null }[] = [];
      const client = new EngineClient({
        baseUrl: "http://engine.test",
        delay: () => Promise.resolve(),
        fetch: () => {
          const status = random.pick(STATUSES);
          const body = status === 204 ? null : randomBody(valid, random);
          sent.push({ status, body });
          return Promise.resolve(new Response(body, { status, headers: { "retry-after": "0" } }));
        },
      });
      try {
        const result = await send(client);
        assert(typeof result === "object" && result !== null);
        JSON.stringify(result);
        accepted++;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        assert(error.message.length < 1_500, `a message of ${error.message.length} characters`);
        // deno-lint-ignore no-control-regex -- looks for control characters
        assert(!/[\u0000-\u001f\u202e]/.test(error.message), error.message);
        continue;
      }
      if (!isConfirmedBy) continue;
      const { status, body } = sent[0]!;
      assert(status < 300, `accepted with ${status}`);
      if (status === 204) assertEquals(name, "deleteDocument");
      else assert(isConfirmedBy(parsed(body!) as Record<string, unknown>), `accepted ${body}`);
    }
    assert(accepted > 0 && accepted < ROUNDS, `${accepted} of ${ROUNDS} were accepted`);
  });
}
