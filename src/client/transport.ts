import { setTimeout as delay } from "node:timers/promises";
import type { LocalEngine, RouteName } from "../contract/mod.ts";
import { currentRequest, type Logger, REQUEST_ID_HEADER, silentLogger } from "../telemetry/mod.ts";
import { fetchOnce } from "../web/mod.ts";
import { changeHeaders } from "./change_headers.ts";
import { Deadline } from "./deadline.ts";
import {
  type CallParameters,
  type EngineAddress,
  type EngineCall,
  engineCall,
  type EngineResponse,
  type FailedAttempt,
  textSanitizer,
  urlOf,
} from "./engine_call.ts";
import { callLocalEngine } from "./local_call.ts";
import { LargeResponses } from "./large_responses.ts";
import { encodeFields, FileForm } from "./multipart.ts";
import type { CallOptions, EngineClientOptions } from "./options.ts";
import { Reachability, tcpProbe } from "./reachability.ts";
import { discardBody, readResponse } from "./read_response.ts";
import { isTransient } from "./response_errors.ts";
import { fileFailed, probeFailed, sendFailed } from "./transport_errors.ts";

const MAX_RETRIES = 2;
/** Upper bound of the first retry's delay; doubles for the second. */
const RETRY_BASE_MS = 50;
/**
 * Period in which retries start, counted from the first failure or, for an unreachable engine, from the call.
 */
const RETRY_WINDOW_MS = 450;
/** The same period if the engine requests a delay. For a longer one, the error names it instead. */
const RETRY_AFTER_WINDOW_MS = 5_000;

/**
 * Sends calls over `fetch`: one deadline, bounded responses, and retries of routes that are safe to repeat.
 */
export class Transport {
  readonly engine: EngineAddress;
  readonly log: Logger;
  readonly #fetch: NonNullable<EngineClientOptions["fetch"]>;
  /** Sends a call that is not safe to repeat. */
  readonly #fetchOnce: NonNullable<EngineClientOptions["fetch"]>;
  readonly #local: () => LocalEngine | undefined;
  readonly #timeoutMs: number;
  readonly #maxResponseBytes: number;
  readonly #largeResponses = new LargeResponses();
  readonly #reachability: Reachability;
  readonly #random: () => number;
  readonly #delay: NonNullable<EngineClientOptions["delay"]>;
  readonly #now: () => number;
  readonly #headers: Readonly<Record<string, string>>;

  /** @throws {TypeError} If `baseUrl` or `apiKey` is invalid. The message repeats neither. */
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
    const baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.engine = {
      url: baseUrl,
      name: options.name ?? `engine at ${baseUrl}`,
      hasKey: apiKey !== undefined,
      sanitize: textSanitizer(apiKey),
    };
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#fetchOnce = options.fetch ?? fetchOnce;
    this.#local = options.local ?? (() => undefined);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#maxResponseBytes = options.maxResponseBytes ?? 32 * 2 ** 20;
    this.#random = options.random ?? Math.random;
    this.#delay = options.delay ?? ((ms, signal) => delay(ms, undefined, { signal }));
    this.#now = options.now ?? (() => performance.now());
    this.log = options.log ?? silentLogger;
    this.#headers = {
      accept: "application/json",
      // With another value, Deno's fetch decompresses without a limit, and hides the header of the response.
      "accept-encoding": "identity",
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    };
    this.#reachability = new Reachability(options.probe ?? (options.fetch ? undefined : tcpProbe(url)), {
      engine: this.engine.url,
      timeoutMs: options.connectTimeoutMs ?? 1_500,
      now: this.#now,
      log: this.log,
    });
  }

  /** Whether the engine is in this process. */
  get isLocal(): boolean {
    return this.#local() !== undefined;
  }

  /** Milliseconds on the transport's clock. */
  now(): number {
    return this.#now();
  }

  /** Waits on the transport's clock. Rejects when the signal aborts. */
  delay(ms: number, signal: AbortSignal): Promise<void> {
    return this.#delay(ms, signal);
  }

  /** Builds a call of this engine. */
  prepare(name: RouteName, parameters: CallParameters): EngineCall {
    return engineCall(name, parameters, this.engine);
  }

  /**
   * Sends a call and reads its response, of any status.
   *
   * @throws {EngineError} If there is no complete response.
   */
  async send(call: EngineCall, options: CallOptions = {}): Promise<EngineResponse> {
    const local = call.file ? undefined : this.#local();
    using deadline = new Deadline(options.timeoutMs ?? this.#timeoutMs, {
      signal: options.signal,
      startTimer: local && ((onTimeout, ms) => local.startTimer(onTimeout, ms)),
    });
    const started = this.#now();
    let failed: number | undefined;
    for (let retry = 0;; retry++) {
      const attempt = await (local ? callLocalEngine(local, call, deadline) : this.#attempt(call, deadline));
      const isResponse = "status" in attempt;
      if (isResponse ? !isTransient(attempt) : !attempt.isTransient) return settle(attempt);
      failed ??= this.#now();
      const since = !isResponse && attempt.error.code === "unreachable" ? started : failed;
      const requestedMs = isResponse ? attempt.retryAfterMs : undefined;
      const ms = (requestedMs ?? 0) + this.#random() * RETRY_BASE_MS * 2 ** retry;
      const windowMs = requestedMs === undefined ? RETRY_WINDOW_MS : RETRY_AFTER_WINDOW_MS;
      const isLate = this.#now() - since + ms > windowMs || ms > deadline.remainingMs;
      if (!call.route.safe || retry === MAX_RETRIES || isLate || deadline.state !== "open") {
        return settle(attempt);
      }
      this.log.debug("retrying engine call", {
        call: call.name,
        ...(isResponse ? { status: attempt.status } : { code: attempt.error.code }),
        delay_ms: Math.round(ms),
      });
      try {
        await this.#delay(ms, deadline.signal);
      } catch {
        // The deadline ended during the delay. The failure says more than a timeout would.
        return settle(attempt);
      }
    }
  }

  async #attempt(call: EngineCall, deadline: Deadline): Promise<EngineResponse | FailedAttempt> {
    try {
      if (deadline.state !== "open") return probeFailed(call, deadline, undefined);
      await this.#reachability.check(deadline);
    } catch (error) {
      const failure = probeFailed(call, deadline, error);
      if (failure.error.code === "unreachable") this.#reachability.lost(failure.error.message);
      return failure;
    }
    await using form = call.file ? new FileForm(call.fields ?? new FormData(), call.file) : undefined;
    let response: Response;
    try {
      response = await this.#fetchWithin(deadline, call, this.#request(call, form, deadline));
    } catch (cause) {
      if (form?.failure) return fileFailed(form);
      const failure = sendFailed(call, deadline, { form, cause });
      if (failure.error.code !== "cancelled") this.#reachability.lost(failure.error.message);
      return failure;
    }
    this.#reachability.responded();
    if (form?.failure) {
      discardBody(response);
      return fileFailed(form);
    }
    return await readResponse(call, response, {
      deadline,
      maxBytes: this.#maxResponseBytes,
      largeResponses: this.#largeResponses,
    });
  }

  #request(call: EngineCall, form: FileForm | undefined, deadline: Deadline): Request {
    const headers: Record<string, string> = { ...this.#headers, ...changeHeaders(call.change) };
    const request = currentRequest();
    if (request) headers[REQUEST_ID_HEADER] = request.id;
    const init: RequestInit = {
      method: call.route.method,
      headers,
      redirect: "manual",
      signal: deadline.signal,
    };
    if (form) {
      // Deno's fetch ignores the length and sends chunks (RFC 9112, 7.1); an in-process handler sees it.
      headers["content-length"] = String(form.contentLength);
      headers["content-type"] = form.contentType;
      init.body = form.body;
    } else if (call.fields) {
      const { contentType, body } = encodeFields(call.fields);
      headers["content-type"] = contentType;
      init.body = body;
    } else if (call.json !== undefined) {
      headers["content-type"] = "application/json";
      init.body = JSON.stringify(call.json);
    }
    return new Request(urlOf(call), init);
  }

  async #fetchWithin(deadline: Deadline, call: EngineCall, request: Request): Promise<Response> {
    const fetch = call.route.safe ? this.#fetch : this.#fetchOnce;
    const response = fetch(request);
    try {
      return await deadline.race(response);
    } catch (error) {
      // A handler that ignores the signal may still respond; its body must not stay open.
      response.then(discardBody, () => {});
      throw error;
    }
  }
}

function settle(attempt: EngineResponse | FailedAttempt): EngineResponse {
  if ("error" in attempt) throw attempt.error;
  return attempt;
}
