import type { DatabaseSync } from "node:sqlite";
import { RemoteError, serveThread, type ThreadChannel, type ThreadService } from "../../../async/mod.ts";
import { MetricsRegistry, runForRequest, startTracing, withSpan } from "../../../telemetry/mod.ts";
import { dataDirAt, openForReading } from "../store/read_only.ts";
import { SharedRanking, type TakenRanking } from "../vectors/mod.ts";
import type {
  EarlyVectors,
  ReadRequest,
  SearchThreadSettings,
  VectorNotice,
  VectorQuestion,
  VectorReplied,
  VectorReply,
} from "./protocol.ts";
import { ReadService } from "./read_service.ts";
import {
  type LastVectors,
  type PendingReply,
  RemoteVectors,
  type RemoteVectorsOptions,
} from "./remote_vectors.ts";

/** Time in which the server starts, and a client may send its first request, in milliseconds. */
const REHEARSAL_DELAY_MS = 250;

/**
 * Maximum time for which the thread does nothing but wait for a ranking, in milliseconds. It is interrupted when a message is
 * sent to it.
 */
const MAX_WAIT_MS = 50;

/** Runs a search thread. */
export function serve(channel: ThreadChannel): void {
  serveThread(
    channel,
    (settings: SearchThreadSettings, notify: (notice: VectorNotice) => void) =>
      new SearchService(settings, notify),
  );
}

class SearchService implements ThreadService<ReadRequest, unknown> {
  /** A search that waits for vectors does not delay others. */
  readonly isConcurrent = true;
  readonly #db: DatabaseSync;
  readonly #reads: ReadService;
  readonly #ended: Int32Array;
  readonly #rankings: readonly SharedRanking[];
  readonly #notify: (notice: VectorNotice) => void;
  readonly #questions = new Map<number, PromiseWithResolvers<VectorReplied>>();
  readonly #lastVectors: LastVectors = {};
  #lastQuestion = 0;
  #tracing: Promise<unknown> | undefined;
  /** Prepares searches while there is no read. Undefined after the first one. */
  #preparation: ReturnType<typeof setTimeout> | undefined;

  constructor(
    { dataDir, warmsUp, ended, rankings }: SearchThreadSettings,
    notify: (notice: VectorNotice) => void,
  ) {
    this.#notify = notify;
    this.#ended = ended;
    this.#rankings = rankings.map((memory) => new SharedRanking(memory));
    this.#db = openForReading(dataDirAt(dataDir));
    this.#reads = new ReadService(this.#db);
    try {
      if (warmsUp) this.#reads.warmUp();
    } catch {
      // Damage is reported by the reads that need the data.
    }
    if (warmsUp) this.#preparation = setTimeout(() => void this.#prepare());
  }

  async #prepare(): Promise<void> {
    const isIdle = () => this.#preparation !== undefined;
    await this.#reads.prepare(isIdle);
    if (isIdle()) this.#preparation = setTimeout(() => void this.#reads.rehearse(isIdle), REHEARSAL_DELAY_MS);
  }

  async handle(request: ReadRequest): Promise<unknown> {
    this.#stopPreparation();
    const { requestId, traceparent, operation } = request;
    // Before anything is awaited: the ranking may arrive in the next message.
    const early = request.early && this.#expect(request.early);
    const run = () => this.#run(request, early);
    if (traceparent === undefined) return await run();
    // Only now: the thread starts before the program knows whether it exports traces, and they show requests only.
    // A search needs no spans; the next one tries again.
    await (this.#tracing ??= startTracing(new MetricsRegistry()).catch(() => this.#tracing = undefined));
    return await runForRequest(
      requestId === undefined ? undefined : { id: requestId },
      () => withSpan(`thread ${operation}`, { parent: traceparent }, run),
    );
  }

  receive(notice: unknown): void {
    const reply = notice as VectorReply;
    const question = this.#questions.get(reply.id);
    this.#questions.delete(reply.id);
    if ("error" in reply) question?.reject(new RemoteError(reply.error));
    else question?.resolve(reply);
  }

  close(): void {
    this.#stopPreparation();
    this.#db.close();
  }

  #stopPreparation(): void {
    clearTimeout(this.#preparation);
    this.#preparation = undefined;
  }

  #run(
    { slot, operation, input, vectors }: ReadRequest,
    early: RemoteVectorsOptions["early"],
  ): Promise<unknown> {
    const remote: RemoteVectorsOptions = {
      db: this.#db,
      early,
      embed: (query) => this.#notify({ slot, query }),
      taken: (id) => this.#withoutReply(id, this.#rankings[slot]!.take(id)),
      wait: (id) => {
        const taken = this.#withoutReply(id, this.#rankings[slot]!.wait(id, MAX_WAIT_MS));
        if (!taken) this.#notify({ slot, isWaiting: true });
        return taken;
      },
      last: this.#lastVectors,
      ask: (question) => this.#ask(slot, question),
    };
    return this.#reads.run(operation, input as never, {
      vectors: vectors ? new RemoteVectors(vectors, remote) : undefined,
      checkpoint: () => {
        if (Atomics.load(this.#ended, slot) !== 0) throw new Error("The read was ended");
      },
    });
  }

  #ask(slot: number, question: VectorQuestion): PendingReply {
    const id = ++this.#lastQuestion;
    const reply = this.#replyTo(id);
    this.#notify({ id, slot, question });
    return { id, reply };
  }

  /** Does not expect a reply if its ranking was taken. */
  #withoutReply(id: number, taken: TakenRanking | undefined): TakenRanking | undefined {
    if (taken) this.#questions.delete(id);
    return taken;
  }

  /** Returns what the main thread has begun, with the reply that it sends unasked. */
  #expect({ text, ranking }: EarlyVectors): RemoteVectorsOptions["early"] {
    if (!ranking) return { text };
    const reply = this.#replyTo(ranking.id);
    // Nothing awaits it if the search fails before.
    reply.catch(() => {});
    return { text, ranking: { id: ranking.id, limit: ranking.limit, reply } };
  }

  #replyTo(id: number): Promise<VectorReplied> {
    const reply = Promise.withResolvers<VectorReplied>();
    this.#questions.set(id, reply);
    return reply.promise;
  }
}
