import { SharedThread, type ThreadPort, webWorkerPort } from "../../src/async/mod.ts";
import type { EngineOptions } from "../../src/engine/mod.ts";

/** Services that {@linkcode pooledThreads} run. */
type Service = "writer" | "texts" | "search";

/** Maximum number of idle threads; a thread takes some 30 MB. */
const MAX_IDLE = 3;

const idle: PooledThread[] = [];
/** Whether tests run: an idle thread would keep a program that opens an engine from ending. */
let isPooling = false;

Deno.test.beforeAll(() => {
  isPooling = true;
});
Deno.test.afterAll(async () => {
  isPooling = false;
  for (const thread of idle.splice(0)) await thread.end();
});

/**
 * Starts threads for engines of tests. A thread whose service has closed in order runs that of the next engine, since
 * to load the modules takes more processor time than most tests. Services share no state. A thread that failed or was
 * terminated is not used again.
 */
export const pooledThreads: NonNullable<EngineOptions["threads"]> = {
  writer: () => connect("writer"),
  texts: () => connect("texts"),
  search: () => connect("search"),
};

function connect(service: Service): ThreadPort {
  const thread = idle.pop() ?? new PooledThread();
  return thread.connect(service);
}

class PooledThread {
  readonly #shared = new SharedThread(() =>
    webWorkerPort(new Worker(import.meta.resolve("./pooled_worker.ts"), { type: "module" }))
  );
  /** Keeps the thread between two services. */
  readonly #lease = this.#shared.connect("none");
  #hasEnded = false;

  constructor() {
    this.#lease.onEnd(() => {
      this.#hasEnded = true;
      const index = idle.indexOf(this);
      if (index >= 0) idle.splice(index, 1);
    });
  }

  end(): Promise<void> {
    return this.#lease.terminate();
  }

  connect(service: Service): ThreadPort {
    const connection = this.#shared.connect(service);
    let hasClosed = false;
    let ending: Promise<void> | undefined;
    const end = async () => {
      await connection.terminate();
      if (isPooling && hasClosed && !this.#hasEnded && idle.length < MAX_IDLE) idle.push(this);
      else await this.end();
    };
    return {
      post: connection.post,
      onMessage: (listener) =>
        connection.onMessage((message) => {
          hasClosed ||= (message as { type: string }).type === "closed";
          listener(message);
        }),
      onEnd: connection.onEnd,
      terminate: () => ending ??= end(),
    };
  }
}
