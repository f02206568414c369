import type { SyncReport } from "../../contract/mod.ts";
import { currentRequest, type RequestScope, runDetached, runForRequest } from "../../telemetry/mod.ts";

/** Number of paths above which everything is compared: a client can request any number while a synchronization runs. */
const MAX_PATHS = 200;

/** What to synchronize. */
export interface SyncScope {
  /** Only these files, and the files below these folders. Undefined: all. */
  readonly paths: readonly string[] | undefined;
  /** Whether to read files again that have failed and have not changed since. */
  readonly retry: boolean;
}

interface Waiting extends PromiseWithResolvers<SyncReport> {
  scope: SyncScope;
  /** The first request for it; undefined for a change of a watched folder. */
  readonly request: RequestScope | undefined;
}

/**
 * Runs the synchronizations of one source one after the other. Requests that arrive while one runs share the next one,
 * since the running one may have passed the files that they are about.
 */
export class SourceRunner {
  readonly #run: (scope: SyncScope) => Promise<SyncReport>;
  #next: Waiting | undefined;
  /** Scope of the running synchronization. */
  #running: SyncScope | undefined;
  #loop: Promise<void> | undefined;
  /** Whether a synchronization that others have requested has compared everything since the last poll. */
  #isCompared = false;

  constructor(run: (scope: SyncScope) => Promise<SyncReport>) {
    this.#run = run;
  }

  /** Whether a synchronization runs or waits. */
  get isRunning(): boolean {
    return this.#loop !== undefined;
  }

  /** Requests a synchronization. Resolves with the report of one that started after the request. */
  request(scope: SyncScope): Promise<SyncReport> {
    if (this.#next) this.#next.scope = merge(this.#next.scope, scope);
    else {
      this.#next = { scope, request: currentRequest(), ...Promise.withResolvers<SyncReport>() };
      this.#next.promise.catch(() => {}); // also if nobody waits
    }
    const { promise } = this.#next;
    this.#loop ??= runDetached(() => this.#drain());
    return promise;
  }

  /**
   * Compares everything, unless a running synchronization does, or one has since the last poll. Resolves at the end of it.
   *
   * For comparisons at intervals, which nothing has asked for: after a first synchronization of minutes, a second one
   * would find everything unchanged, and its report would be in the place of the first one's.
   */
  async poll(): Promise<void> {
    if (this.#running && !this.#running.paths) await this.idle();
    else if (!this.#isCompared) await this.request({ paths: undefined, retry: false });
    this.#isCompared = false;
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    await this.#loop;
  }

  async #drain(): Promise<void> {
    // One turn later: requests of the same turn share a run.
    await Promise.resolve();
    while (this.#next) {
      const { scope, request, resolve, reject } = this.#next;
      this.#next = undefined;
      this.#running = scope;
      await runForRequest(request, () => this.#run(scope)).then((report) => {
        // Before the promise: a poll that waits for it resets this.
        if (!scope.paths) this.#isCompared = true;
        resolve(report);
      }, reject);
    }
    this.#running = this.#loop = undefined;
  }
}

function merge(a: SyncScope, b: SyncScope): SyncScope {
  const paths = a.paths && b.paths && [...new Set([...a.paths, ...b.paths])];
  return {
    paths: paths && paths.length > MAX_PATHS ? undefined : paths,
    retry: a.retry || b.retry,
  };
}
