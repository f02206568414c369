import { pathFor, type RouteName, routes } from "../contract/mod.ts";
import { type Logger, silentLogger } from "../telemetry/mod.ts";
import { discard } from "./body.ts";
import { type Answer, type Call, type CallInput, cleaner, type Outcome, queryString } from "./call.ts";
import { abortableDelay, Deadline } from "./deadline.ts";
import { badFile, notAnswered, notReached } from "./failures.ts";
import { encodeFields, FileForm } from "./multipart.ts";
import type { CallOptions, EngineClientOptions } from "./options.ts";
import { Reachability, tcpProbe } from "./reach.ts";
import { receive } from "./receive.ts";

/** Further tries of a call that is safe to repeat. */
const MAX_RETRIES = 2;
/** Upper bound of the first delay; it doubles for the second. */
const RETRY_BASE_MS = 50;
/** No try starts later than this after the first failure, nor, while nothing answers, after the call's start. */
const RETRY_WINDOW_MS = 450;

/** Carries calls of the contract over `fetch`: one deadline, bounded answers, retries of what is safe, typed errors. */
export class Transport {
  readonly baseUrl: string;
  readonly #fetch: NonNullable<EngineClientOptions["fetch"]>;
  readonly #timeoutMs: number;
  readonly #maxAnswerBytes: number;
  readonly #reachability: Reachability;
  readonly #random: () => number;
  readonly #delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #clean: (text: string) => string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: EngineClientOptions) {
    const url = URL.parse(options.baseUrl);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw new TypeError(
        "baseUrl must be an http:// or https:// URL without credentials, query or fragment",
      );
    }
    const { apiKey } = options;
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError("apiKey must be printable ASCII without spaces");
    }
    this.baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#maxAnswerBytes = options.maxAnswerBytes ?? 64 * 2 ** 20;
    this.#random = options.random ?? Math.random;
    this.#delay = options.delay ?? abortableDelay;
    this.#now = options.now ?? (() => performance.now());
    this.#log = options.log ?? silentLogger;
    this.#clean = cleaner(apiKey);
    this.#headers = { accept: "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
    this.#reachability = new Reachability(
      options.reach ?? (options.fetch ? undefined : tcpProbe(url)),
      options.connectTimeoutMs ?? 1_500,
      this.#now,
      this.#log,
      this.baseUrl,
    );
  }

  /** Milliseconds on the clock that the transport goes by. */
  now(): number {
    return this.#now();
  }

  /** Waits as retries do. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#delay(ms, signal);
  }

  /**
   * Makes a call.
   *
   * @throws {EngineError} Whatever goes wrong.
   */
  async call<Name extends RouteName>(
    name: Name,
    input: CallInput,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const route = routes[name];
    const path = input.id === undefined ? route.path : pathFor(route.path, input.id);
    const call: Call = {
      name,
      route,
      id: input.id,
      path: path + queryString(input.query),
      engine: this.baseUrl,
      clean: this.#clean,
    };
    using deadline = new Deadline(options.timeoutMs ?? this.#timeoutMs, options.signal);
    const started = this.#now();
    let failed: number | undefined;
    for (let retry = 0;; retry++) {
      const outcome = await this.#attempt<Answer<Name>>(call, input, deadline);
      if ("value" in outcome) return outcome.value;
      const { error, again } = outcome;
      failed ??= this.#now();
      const since = error.code === "unreachable" ? started : failed;
      const ms = this.#random() * RETRY_BASE_MS * 2 ** retry;
      const late = this.#now() - since + ms > RETRY_WINDOW_MS;
      if (!again || !route.safe || retry === MAX_RETRIES || late || deadline.state !== "open") throw error;
      this.#log.debug("engine call is tried again", {
        call: name,
        code: error.code,
        wait_ms: Math.round(ms),
      });
      try {
        await this.#delay(ms, deadline.signal);
      } catch {
        // Over while waiting: what had gone wrong says more than that the time is up.
        throw error;
      }
    }
  }

  async #attempt<T>(call: Call, input: CallInput, deadline: Deadline): Promise<Outcome<T>> {
    try {
      if (deadline.state !== "open") return notReached(call, deadline, undefined);
      await this.#reachability.check(deadline);
    } catch (error) {
      const failure = notReached(call, deadline, error);
      if (failure.error.code === "unreachable") this.#reachability.lost(failure.error.message);
      return failure;
    }
    await using form = input.file ? new FileForm(input.fields ?? new FormData(), input.file) : undefined;
    let response: Response;
    try {
      response = await this.#send(this.#request(call, input, form, deadline), deadline);
    } catch (error) {
      if (form?.failure) return badFile(form);
      const failure = notAnswered(call, deadline, form, error);
      if (failure.error.code !== "cancelled") this.#reachability.lost(failure.error.message);
      return failure;
    }
    this.#reachability.contact();
    if (form?.failure) {
      discard(response);
      return badFile(form);
    }
    return await receive<T>(call, response, deadline, {
      maxBytes: this.#maxAnswerBytes,
      hasKey: "authorization" in this.#headers,
    });
  }

  #request(call: Call, input: CallInput, form: FileForm | undefined, deadline: Deadline): Request {
    const init: RequestInit = {
      method: call.route.method,
      headers: this.#headers,
      redirect: "manual",
      signal: deadline.signal,
    };
    if (form) {
      const { contentType, contentLength, body } = form;
      // Deno's own fetch ignores the length and sends chunks (RFC 9112, 7.1); a handler in this process sees it.
      const length = { "content-type": contentType, "content-length": String(contentLength) };
      Object.assign(init, { body, headers: { ...this.#headers, ...length } });
    } else if (input.fields) {
      const { contentType, body } = encodeFields(input.fields);
      Object.assign(init, { body, headers: { ...this.#headers, "content-type": contentType } });
    } else if (input.json !== undefined) {
      init.body = JSON.stringify(input.json);
      init.headers = { ...this.#headers, "content-type": "application/json" };
    }
    return new Request(call.engine + call.path, init);
  }

  async #send(request: Request, deadline: Deadline): Promise<Response> {
    const send = this.#fetch;
    const answer = send(request);
    try {
      return await deadline.race(answer);
    } catch (error) {
      // A handler that does not obey the signal may still answer; its body must not stay open.
      answer.then(discard, () => {});
      throw error;
    }
  }
}
