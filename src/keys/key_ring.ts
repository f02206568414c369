import type { Logger } from "../telemetry/mod.ts";
import {
  hasExpired,
  identifyKeyFile,
  type KeyFileContent,
  KeyFileError,
  readKeyFile,
  type StoredKey,
} from "./key_file.ts";
import type { Scope } from "./scope.ts";

/** Minimum time between two checks of the file, in milliseconds. */
const CHECK_INTERVAL_MS = 1000;
/** Maximum time that a request waits for the file, in milliseconds. */
const REQUEST_WAIT_MS = 250;
/** Maximum time to read the file at the start, in milliseconds. */
const OPEN_WAIT_MS = 10_000;

/** The holder of a key. */
export interface KeyHolder {
  /** SHA-256 of the key in hexadecimal. */
  readonly id: string;
  /** Name of the key. */
  readonly key: string;
  readonly scope: Scope;
}

/** Result of looking up a key. */
export type KeyCheck =
  | { readonly status: "valid"; readonly holder: KeyHolder }
  /** A key that was valid until `at`. */
  | { readonly status: "expired"; readonly at: string }
  | { readonly status: "invalid" };

/** Where a ring reads its keys. */
export interface KeySource {
  /** Returns a text that changes with the keys. */
  identify(): Promise<string>;
  /** @throws {KeyFileError} If the keys cannot be read. */
  read(): Promise<KeyFileContent>;
}

/** Options of {@linkcode KeyRing.open}. */
export interface KeyRingOptions {
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  /** Path for messages. */
  readonly path: string;
  /** @default the file at `path` */
  readonly source?: KeySource;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Current time in milliseconds since 1970. @default {Date.now} */
  readonly date?: () => number;
  /** Calls a function after some milliseconds; returns how to stop it. */
  readonly after?: (ms: number, run: () => void) => () => void;
}

/**
 * The keys of a file, which may change at any time. A request has the file checked at most once a second, and waits for
 * that a moment only: on a mount that hangs, the last keys stay valid.
 *
 * A file that cannot be used leaves the last keys valid, since a half-written or unreachable file must not lock
 * everybody out. One that does not exist has no keys: removing it revokes all of them.
 */
export class KeyRing {
  readonly #options: Required<Omit<KeyRingOptions, "path">> & { readonly path: string };
  #keys: ReadonlyMap<string, StoredKey> = new Map();
  #ids: readonly string[] = [];
  /** Identity of the file whose keys are in use. */
  #identity = "";
  /** Problem of the file that has been logged. */
  #logged: string | undefined;
  #checkedAt: number;
  #reading: Promise<void> | undefined;
  /** Resolves when requests need not wait any longer for the running check. */
  #waited: Promise<void> | undefined;

  private constructor(options: KeyRingOptions) {
    const { path } = options;
    this.#options = {
      source: { identify: () => identifyKeyFile(path), read: () => readKeyFile(path) },
      now: () => performance.now(),
      date: Date.now,
      after(ms, run) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      ...options,
    };
    this.#checkedAt = this.#options.now();
  }

  /**
   * Reads the keys.
   *
   * @throws {KeyFileError} If the file cannot be used: a server without its keys must not start.
   */
  static async open(options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(options);
    const { source, after } = ring.#options;
    const late = Promise.withResolvers<never>();
    const stop = after(
      OPEN_WAIT_MS,
      () => late.reject(new KeyFileError(`It could not be read within ${OPEN_WAIT_MS / 1000} s`)),
    );
    try {
      ring.#use(await Promise.race([source.read(), late.promise]));
    } finally {
      stop();
    }
    return ring;
  }

  /** SHA-256 of each key in hexadecimal, expired ones included. Another array after a change of the keys. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Checks the file for a change if that is due; undefined: there is nothing to wait for. Never rejects. */
  refresh(): Promise<void> | undefined {
    if (this.#reading) return this.#waited;
    const { now } = this.#options;
    if (now() - this.#checkedAt < CHECK_INTERVAL_MS) return undefined;
    this.#checkedAt = now();
    this.#reading = this.#readChange().finally(() => {
      this.#reading = undefined;
    });
    return this.#waited = this.#waitFor(this.#reading);
  }

  /** Looks up a key by its SHA-256 in hexadecimal. */
  check(id: string): KeyCheck {
    const stored = this.#keys.get(id);
    if (!stored) return { status: "invalid" };
    const { name, scope, expires_at } = stored;
    return hasExpired(stored, this.#options.date())
      ? { status: "expired", at: expires_at! }
      : { status: "valid", holder: { id, key: name, scope } };
  }

  async #waitFor(reading: Promise<void>): Promise<void> {
    const { after } = this.#options;
    const late = Promise.withResolvers<void>();
    const stop = after(REQUEST_WAIT_MS, () => {
      this.#logOnce("the keys file does not respond: its last keys stay valid", {});
      // Further requests do not wait for this check.
      this.#waited = undefined;
      late.resolve();
    });
    await Promise.race([reading, late.promise]);
    stop();
  }

  async #readChange(): Promise<void> {
    const { source } = this.#options;
    try {
      const identity = await source.identify();
      // A file that could not be used is read again: a change within the resolution of its times has no other sign.
      if (identity === this.#identity && this.#logged === undefined) return;
      this.#use(await source.read());
    } catch (error) {
      this.#logOnce("the keys file cannot be used: its last keys stay valid", { error });
    }
  }

  #use({ identity, keys }: KeyFileContent): void {
    const hadProblem = this.#logged !== undefined;
    this.#logged = undefined;
    if (identity === this.#identity && !hadProblem) return;
    this.#identity = identity;
    this.#keys = new Map(keys.map((key) => [key.sha256, key]));
    this.#ids = [...this.#keys.keys()];
    const { log, path } = this.#options;
    if (keys.length > 0) return log.info("using the keys of the keys file", { path, keys: keys.length });
    log.warn("the keys file has no keys, so none is accepted: run kb-mcp key add NAME", { path });
  }

  #logOnce(message: string, { error }: { readonly error?: unknown }): void {
    const problem = error instanceof Error ? `${message}: ${error.message}` : message;
    if (problem === this.#logged) return;
    this.#logged = problem;
    const { log, path } = this.#options;
    log.error(message, { path, ...(error === undefined ? {} : { error }) });
  }
}
