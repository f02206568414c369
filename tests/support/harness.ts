import type { z } from "zod";
import { EngineClient } from "../../src/client/mod.ts";
import { Collections } from "../../src/collections/mod.ts";
import type { Id } from "../../src/contract/mod.ts";
import { Engine } from "../../src/engine/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { EncodedOutput, type Tool, type ToolContext, tools } from "../../src/tools/mod.ts";
import { Uploads } from "../../src/uploads/mod.ts";
import { engineOptions } from "./engine_options.ts";
import { writeNewDatabase } from "./new_database.ts";
import { checkStructuredContent } from "./output_schema.ts";
import { plainHandler } from "./plain_handler.ts";
import { type Handler, type RecordedCall, recording, recordingLocal } from "./recorder.ts";

/** How the engine is called: in this process with values or with `Request` objects, or over a local socket. */
export type Placement = "in process" | "embedded" | "over HTTP";

/** Options of {@linkcode openHarness}. */
export interface HarnessOptions {
  readonly placement: Placement;
  /** Replaces the embedded engine, such as by a third-party or failing one. */
  readonly handler?: Handler;
  /** May respond to a request before it reaches the engine. */
  readonly intercept?: (request: Request) => Response | undefined;
  /** Maximum time that tools wait for a job, in milliseconds. */
  readonly jobWaitMs?: number;
}

/** A note for {@linkcode Harness.note}. */
export interface NewNote {
  readonly text: string;
  readonly title?: string;
  readonly source_path?: string;
  readonly collection?: string;
  readonly tags?: readonly string[];
}

/** The real dependencies of tools, with the requests to the engine recorded. */
export interface Harness extends AsyncDisposable {
  readonly engine: EngineClient;
  readonly context: ToolContext;
  /** Requests to the engine so far. */
  readonly calls: RecordedCall[];
  /** Advances the clock of uploads, in milliseconds. */
  advance(ms: number): void;
  /** Parses arguments, runs a tool, and validates its result against the output schema. */
  call<Input extends z.ZodObject, Output extends z.ZodObject>(
    tool: Tool<Input, Output>,
    args: unknown,
    context?: Partial<ToolContext>,
  ): Promise<z.output<Output>>;
  /** Returns the bodies of the requests with a method and path. */
  sent(method: string, path: string): unknown[];
  /** Returns `METHOD /path` of every request. */
  paths(): string[];
  /** Stores a note; resolves to its document id when it can be found. */
  note(note: NewNote): Promise<Id>;
  /** Sends a file; resolves to its job id when the job has ended. */
  job(filename: string, bytes: Uint8Array<ArrayBuffer>): Promise<Id>;
}

/** Maximum time to wait for a job during setup, and for the engine, in milliseconds: a busy machine fails no test. */
const MAX_WAIT_MS = 120_000;

/** Opens a harness; `await using` closes everything. */
export async function openHarness(options: HarnessOptions): Promise<Harness> {
  const { placement, jobWaitMs } = options;
  await using stack = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const calls: RecordedCall[] = [];
  if (!options.handler) writeNewDatabase(`${directory}/data`);
  const opened = options.handler
    ? undefined
    : stack.use(await Engine.open(engineOptions(`${directory}/data`)));
  const handler: Handler = options.handler ?? ((request) => opened!.fetch(request));
  const local = placement === "in process" && opened ? recordingLocal(calls, opened) : undefined;
  const fetchRecorded = recording(calls, (request) => options.intercept?.(request) ?? handler(request));
  const engine = placement !== "over HTTP"
    ? new EngineClient({
      local: () => local,
      baseUrl: "http://embedded",
      fetch: (input, init) => fetchRecorded(new Request(input, init)),
      timeoutMs: MAX_WAIT_MS,
      log: silentLogger,
    })
    : new EngineClient({ baseUrl: listen(fetchRecorded, stack), timeoutMs: MAX_WAIT_MS, log: silentLogger });

  let offset = 0;
  const uploads = stack.use(
    await Uploads.open({
      directory,
      maxBytes: 64 * 2 ** 20,
      maxPerCaller: 8,
      maxStagedBytes: 256 * 2 ** 20,
      idleMs: 600_000,
      now: () => performance.now() + offset,
      wallClock: () => Date.now() + offset,
    }),
  );
  const context: ToolContext = {
    engine,
    collections: new Collections(),
    uploads,
    log: silentLogger,
    jobWaitMs: jobWaitMs ?? MAX_WAIT_MS,
    server: () => ({
      name: "kb-mcp",
      version: "3.0.0",
      protocol_versions: ["2025-11-25"],
      engine: placement,
      uptime_seconds: 1,
    }),
    tools,
    caller: { id: "caller-a", scope: "write" },
    signal: new AbortController().signal,
    baseUrl: "http://kb.example:8808",
    now: Date.now,
    draining: new AbortController().signal,
    report: () => {},
  };
  const ended = async (accepted: { job_id: Id }) =>
    await engine.waitForJob(accepted.job_id, { timeoutMs: MAX_WAIT_MS, signal: context.signal });

  const open = stack.move();
  return {
    engine,
    context,
    calls,
    advance: (ms) => {
      offset += ms;
    },
    async call(tool, args, overrides) {
      const result = await tool.run(tool.input.parse(args), { ...context, ...overrides });
      const output = result instanceof EncodedOutput ? result.value : result;
      // Validates the JSON like a client, against the listed schema, which strips nothing.
      checkStructuredContent(tool, JSON.parse(JSON.stringify(output)));
      return tool.output.parse(output);
    },
    sent: (method, path) =>
      calls.filter((call) => call.method === method && call.url.pathname === path).map(({ body }) => body),
    paths: () => calls.map(({ method, url }) => `${method} ${url.pathname}`),
    async note({ text, title, source_path, collection = "documents", tags = [] }) {
      const job = await ended(
        await engine.addNote({
          text,
          tags: [`collection:${collection}`, ...tags],
          ...(title === undefined ? {} : { title }),
          ...(source_path === undefined ? {} : { source_path }),
        }),
      );
      if (job.document_id === null || job.document_id === undefined) {
        throw new Error(`no document: ${job.error}`);
      }
      return job.document_id;
    },
    async job(filename, bytes) {
      const open = () => Promise.resolve(new Blob([bytes]).stream());
      const file = { filename, size: bytes.byteLength, open, tags: ["collection:documents"] };
      return (await ended(await engine.addFile(file))).job_id;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function listen(handler: Handler, stack: AsyncDisposableStack): string {
  const server = stack.use(
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, plainHandler(handler)),
  );
  return `http://127.0.0.1:${server.addr.port}`;
}
