/**
 * An agent's whole day over MCP: it fills a knowledge base, asks, lists, edits, makes mistakes and undoes them.
 * Used by the test of both placements of the engine, and by `deno task day`, which prints the costs.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Agent } from "../support/mcp_client.ts";
import { type CorpusFile, manual, MANUAL_PATH, shortPages } from "./day_corpus.ts";
import { type Memory, THIRTY_SIX_MEMORIES, TWELVE_MEMORIES } from "./memories.ts";

/** Costs of one task: calls of tools, and tokens (o200k_base) of their text, which a model reads. */
export interface TaskCost {
  readonly task: string;
  readonly calls: number;
  readonly tokens: number;
  /** The same before contract 3.3. */
  readonly before: string;
}

/** Plays the day and returns what each task has cost. Every step is asserted. */
export async function playDay(agent: Agent): Promise<TaskCost[]> {
  const costs: TaskCost[] = [];
  const session = new Session(agent);
  for (const { name, before, run } of TASKS) {
    session.reset();
    await run(session);
    costs.push({ task: name, calls: session.calls, tokens: session.tokens, before });
  }
  return costs;
}

// deno-lint-ignore no-explicit-any -- a client reads JSON of any shape
type Json = any;

/** The agent's connection, with a count of its calls. */
class Session {
  readonly #agent: Agent;
  calls = 0;
  tokens = 0;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  reset(): void {
    this.calls = 0;
    this.tokens = 0;
  }

  /** Calls a tool that must succeed. */
  async call(tool: string, args: Record<string, unknown> = {}): Promise<Json> {
    const { isError, text, structured } = await this.#agent.call(tool, args);
    this.calls++;
    this.tokens += encode(text).length;
    assert(!isError, `${tool} ${JSON.stringify(args).slice(0, 300)}: ${text}`);
    return structured;
  }

  /** Calls a tool that must fail; returns the text of the error. */
  async fail(tool: string, args: Record<string, unknown>): Promise<string> {
    const { isError, text } = await this.#agent.call(tool, args);
    this.calls++;
    this.tokens += encode(text).length;
    assert(isError, `${tool} must fail, got ${text}`);
    return text;
  }

  /** Stores a memory, and returns the answer. */
  remember(text: string, more: Record<string, unknown> = {}): Promise<Json> {
    return this.call("kb_addnote", { text, collection: "memory", ...more });
  }

  /** Uploads a file by its URL. */
  async upload({ filename, sourcePath, text }: CorpusFile): Promise<Json> {
    const bytes = new TextEncoder().encode(text);
    const { upload_id, upload_url } = await this.call("kb_upload_start", {
      filename,
      total_size: bytes.length,
      source_path: sourcePath,
    });
    const response = await fetch(upload_url, { method: "PUT", body: bytes });
    assertEquals(response.status, 200, await response.text());
    return await this.call("kb_upload_finish", { upload_id });
  }

  /** Returns the documents of a list, all pages. */
  async list(args: Record<string, unknown>): Promise<Json[]> {
    const documents: Json[] = [];
    let cursor: string | undefined;
    do {
      const page: Json = await this.call("kb_list", { ...args, ...(cursor === undefined ? {} : { cursor }) });
      documents.push(...page.documents);
      cursor = page.next_cursor;
    } while (cursor);
    return documents;
  }

  /** Returns the document at a path. */
  async at(source_path: string): Promise<Json> {
    const { documents } = await this.call("kb_get", { source_path, chunks: false });
    assertEquals(documents.length, 1, source_path);
    return documents[0];
  }
}

interface Task {
  readonly name: string;
  readonly before: string;
  readonly run: (session: Session) => Promise<void>;
}

/** The 40 memories of the day. */
const MEMORIES: readonly Memory[] = [...THIRTY_SIX_MEMORIES, ...TWELVE_MEMORIES.slice(0, 4)];

const TASKS: readonly Task[] = [
  {
    name: "ingest 99 files",
    before: "198 calls, 22,152 tokens",
    async run(session) {
      for (const file of [...shortPages(), manual()]) {
        assertEquals((await session.upload(file)).outcome, "created", file.sourcePath);
      }
    },
  },
  {
    name: "store 40 memories",
    before: "40 calls, 960 tokens",
    async run(session) {
      for (const [text] of MEMORIES) {
        assertEquals((await session.remember(text)).outcome, "created", text);
      }
    },
  },
  {
    name: "answer 23 questions",
    before: "23 calls, 11,288 tokens",
    async run(session) {
      for (const [note, query] of MEMORIES.slice(0, 11)) {
        const { results } = await session.call("kb_search", {
          query: note.slice(0, -1),
          collection: "memory",
          top: 5,
        });
        assertEquals([results[0].text, results[0].collection], [note, "memory"], query);
      }
      for (const { filename, text } of shortPages().slice(0, 12)) {
        const channel = /room (\d+)/.exec(text)?.[1] ?? "";
        const { results } = await session.call("kb_search", { query: `room ${channel}`, top: 3 });
        assert(results[0].text.includes(`room ${channel}`), filename);
      }
    },
  },
  {
    name: "five memories at once",
    before: "498 tokens",
    async run(session) {
      const { results } = await session.call("kb_search", {
        query: "oat Ingrid Keller Gothenburg garden",
        collection: "memory",
        top: 5,
        fts_only: true,
      });
      assertEquals(results.length, 5);
      assertEquals(new Set(results.map(({ collection }: Json) => collection)), new Set(["memory"]));
    },
  },
  {
    name: "what is there? (counts)",
    before: "impossible",
    async run(session) {
      const groups = (await session.call("kb_list", { group_by: "collection" })).groups as Json[];
      assertEquals(Object.fromEntries(groups.map(({ key, count }) => [key, count])), {
        documents: 99,
        memory: 40,
      });
      const kinds = (await session.call("kb_list", { group_by: "kind" })).groups as Json[];
      assertEquals(Object.fromEntries(kinds.map(({ key, count }) => [key, count])), {
        markdown: 99,
        note: 40,
      });
    },
  },
  {
    name: "list a folder of 98 pages",
    before: "only by searches: 2 calls, 14,911 tokens",
    async run(session) {
      const documents = await session.list({ source_path: "handbook/", sort: "title", limit: 100 });
      assertEquals(documents.length, 98);
      const titles = documents.map(({ title }) => title as string);
      assertEquals(titles, titles.toSorted());
    },
  },
  {
    name: "list by metadata, words, time",
    before: "impossible",
    async run(session) {
      const billing = await session.call("kb_list", { metadata: { team: "billing" } });
      assertEquals(billing.total, 14);
      const backups = await session.call("kb_list", { title: "back in", since: "1d", sort: "created" });
      assertEquals([backups.total, typeof backups.now], [7, "string"]);
      const listed = await session.call("kb_search", { query: "*", collection: "memory" });
      assertEquals(listed.total, 40);
      const empty = await session.call("kb_search", { query: "", source_path: "handbook/mobile/" });
      assertEquals(empty.total, 14);
    },
  },
  {
    name: "search with filters",
    before: "impossible",
    async run(session) {
      const query = "questions are answered in the channel";
      const inFolder = await session.call("kb_search", { query, source_path: "handbook/data/", top: 20 });
      assert(inFolder.results.length > 0);
      assertEquals(inFolder.total, 14);
      const owned = await session.call("kb_search", {
        query,
        metadata: { team: "search" },
        since: "yesterday",
      });
      assertEquals(owned.total, 14);
      const { document_id } = await session.at(MANUAL_PATH);
      const inside = await session.call("kb_search", { query: "number 23757", document_id, top: 3 });
      assert(inside.results[0].text.includes(" 23757."), inside.results[0].text);
    },
  },
  {
    name: "read on in a manual of 250 KB",
    before: "without an outline",
    async run(session) {
      const { document_id } = await session.at(MANUAL_PATH);
      const { outline } = await session.call("kb_get", { document_id, outline: true });
      const gasket = outline.find((entry: Json) => JSON.stringify(entry).includes("gasket 4"));
      assert(gasket, JSON.stringify(outline).slice(0, 300));
      const { results } = await session.call("kb_search", { query: "number 23757", document_id, top: 1 });
      const around = await session.call("kb_get", {
        document_id,
        around: results[0].index,
        max_tokens: 1000,
      });
      assert(JSON.stringify(around.chunks).includes(" 23757."), "the passage itself");
      const byTitle = await session.call("kb_get", { title: "Turbine manual", max_tokens: 300 });
      assertEquals(byTitle.document_id ?? byTitle.documents?.[0]?.document_id, document_id);
    },
  },
  {
    name: "read the whole manual",
    before: "101,557 tokens for a text of 72,052",
    async run(session) {
      const { document_id } = await session.at(MANUAL_PATH);
      let text = "";
      for (let offset = 0; offset !== undefined;) {
        const part = await session.call("kb_get", { document_id, offset, max_tokens: 20_000, limit: 1000 });
        text += part.chunks.map((chunk: Json) => chunk.text).join("\n");
        offset = part.next_offset;
      }
      for (const step of [1, 700, 1680]) assert(text.includes(`Step ${step} concerns`), `step ${step}`);
    },
  },
  {
    name: "notice a memory that is there",
    before: "impossible",
    async run(session) {
      const { similar, document_id } = await session.remember(
        "he takes his tea with OAT MILK, and no sugar!",
      );
      assertEquals(similar[0].sentence, "He takes his tea with oat milk and no sugar.");
      assert(similar.length <= 3);
      await session.call("kb_delete", { document_id });
    },
  },
  {
    name: "repeat a memory without its collection",
    before: "moved it to documents",
    async run(session) {
      const { outcome, collection } = await session.call("kb_addnote", { text: MEMORIES[0]?.[0] });
      assertEquals([outcome, collection], ["duplicate", "memory"]);
      const moved = await session.call("kb_addnote", { text: MEMORIES[1]?.[0], collection: "workspace" });
      assertEquals([moved.outcome, moved.collection, moved.moved_from], ["duplicate", "workspace", "memory"]);
      await session.call("kb_set_collection", { document_id: moved.document_id, collection: "memory" });
    },
  },
  {
    name: "correct part of a note",
    before: "2 calls, the whole text twice",
    async run(session) {
      const text = "# Release\n\nTuesday.\n\n## Checklist\n\n- tests\n- notes\n\n## Contact\n\nAsk Ingrid.";
      const { document_id } = await session.remember(text, { title: "Release" });
      const edited = await session.call("kb_edit", {
        document_id,
        replace: { old: "Tuesday.", new: "Wednesday." },
        section: { heading: "Checklist", text: "- tests\n- changelog" },
        append: "Or Tom.",
        if_version: 1,
      });
      assertEquals(edited.version, 2);
      const stored = await session.call("kb_get", { document_id });
      const whole = stored.chunks.map((chunk: Json) => chunk.text).join("\n\n");
      for (const part of ["Wednesday.", "- changelog", "Ask Ingrid.", "Or Tom."]) {
        assert(whole.includes(part), whole);
      }
      assert(!whole.includes("Tuesday.") && !whole.includes("- notes"), whole);
      const missing = { old: "Wednesdays.", new: "Monday." };
      const message = await session.fail("kb_edit", { document_id, replace: missing });
      assert(/replace\.old.*"Wednesday\."/s.test(message), message);
    },
  },
  {
    name: "retag, rename and move 14 documents",
    before: "impossible",
    async run(session) {
      const documents = await session.list({ source_path: "handbook/mobile/" });
      for (const { document_id, title } of documents) {
        await session.call("kb_edit", {
          document_id,
          title: `${title} (archived)`,
          add_tags: ["archive", "mobile"],
          metadata: { team: null, status: "archived" },
        });
      }
      const tagged = await session.call("kb_list", { tags: ["archive"], metadata: { status: "archived" } });
      assertEquals(tagged.total, 14);
      assertEquals((await session.call("kb_list", { title: "archived" })).total, 14);
      const { engine } = await session.call("kb_status");
      assertEquals(engine.top_tags.find(({ tag }: Json) => tag === "archive").count, 14);
      const refused = await session.fail("kb_edit", {
        document_id: documents[0].document_id,
        add_tags: ["collection:memory"],
      });
      assert(refused.includes("collection"), refused);
    },
  },
  {
    name: "overwrite a manual by mistake",
    before: "destroyed in silence",
    async run(session) {
      const there = await session.at(MANUAL_PATH);
      const conflict = await session.call("kb_addnote", {
        text: "Turbine: see manual",
        source_path: MANUAL_PATH,
      });
      assertEquals([conflict.outcome, conflict.document_id], ["conflict", there.document_id]);
      assert(conflict.title && conflict.collection === "documents" && conflict.size_bytes > 250_000);
      assertEquals((await session.at(MANUAL_PATH)).version, there.version);
      const replaced = await session.call("kb_addnote", {
        text: "Turbine: see manual",
        source_path: MANUAL_PATH,
        overwrite: true,
      });
      assertEquals([replaced.outcome, replaced.restorable_version], ["replaced", 1]);
      await session.call("kb_restore", { document_id: there.document_id });
      const { results } = await session.call("kb_search", { query: "number 23757", top: 3 });
      assertEquals(results[0].document_id, there.document_id);
      assertEquals((await session.at(MANUAL_PATH)).doc_type, "markdown");
    },
  },
  {
    name: "delete by mistake, and undo",
    before: "impossible",
    async run(session) {
      const { document_id, title } = await session.at("handbook/security/access.md");
      const gone = await session.call("kb_delete", { document_id });
      assertEquals([gone.status, typeof gone.restorable_until], ["deleted", "string"]);
      assertEquals((await session.call("kb_list", { source_path: "handbook/security/" })).total, 13);
      assert((await session.fail("kb_get", { document_id })).includes("kb_restore"));
      const { deleted: documents } = await session.call("kb_history");
      assertEquals([documents[0].document_id, documents[0].title], [document_id, title]);
      const restored = await session.call("kb_restore", { document_id });
      assertEquals(restored.document_id, document_id);
      assertEquals((await session.call("kb_list", { source_path: "handbook/security/" })).total, 14);
    },
  },
  {
    name: "find and restore an old version",
    before: "impossible",
    async run(session) {
      const { document_id } = await session.remember("The door code is 1234.", { title: "Door" });
      await session.call("kb_update_note", { document_id, text: "The door code is 5678." });
      await session.call("kb_update_note", { document_id, text: "The door code is 9999." });
      const { revisions } = await session.call("kb_history", { document_id });
      assertEquals(revisions.map(({ version }: Json) => version), [2, 1]);
      await session.call("kb_restore", { document_id, revision: 1 });
      const { chunks } = await session.call("kb_get", { document_id });
      assertEquals(chunks[0].text, "The door code is 1234.");
      await session.call("kb_restore", { document_id });
      assertEquals((await session.call("kb_get", { document_id })).chunks[0].text, "The door code is 9999.");
    },
  },
  {
    name: "meet another agent's change",
    before: "last writer wins in silence",
    async run(session) {
      const { document_id } = await session.remember("The printer is in room 5.", { title: "Printer" });
      await session.call("kb_update_note", { document_id, text: "The printer is in room 6.", if_version: 1 });
      for (
        const [tool, args] of [
          ["kb_update_note", { text: "The printer is in room 7." }],
          ["kb_edit", { append: "It is slow." }],
          ["kb_set_collection", { collection: "workspace" }],
          ["kb_delete", {}],
          ["kb_restore", {}],
        ] as const
      ) {
        const answer = await session.call(tool, { document_id, if_version: 1, ...args });
        assertEquals([answer.outcome, answer.version], ["conflict", 2], tool);
      }
      const { chunks } = await session.call("kb_get", { document_id });
      assertEquals(chunks[0].text, "The printer is in room 6.");
    },
  },
];
