import { openApiDocument, type Route, type RouteName, routes } from "../../contract/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { bearerGuard } from "./auth.ts";
import { readJson, shuttingDown } from "./body.ts";
import { errorResponse } from "./errors.ts";
import { type Call, createHandlers, notFound, type Services } from "./handlers.ts";
import { createRouter } from "./router.ts";
import { validate } from "./validate.ts";

/** Most bytes of a JSON body; a note of the greatest length fits, escapes and all. */
const JSON_BYTES = 8 * 2 ** 20;

/** What the front is made of. */
export interface FrontOptions extends Services {
  /** Key that callers must send; undefined: everyone is accepted. */
  readonly apiKey: string | undefined;
  readonly log: Logger;
}

/** Paths beside the contract's own. */
const EXTRAS = {
  openapi: { method: "GET", path: "/api/v1/openapi.json" },
  health: { method: "GET", path: "/healthz" },
} as const;

/**
 * The engine as a function from request to response: route table, guards, parsing, errors. Requests in progress are
 * counted, so that whoever closes the engine can wait for them.
 */
export class Front {
  readonly #options: FrontOptions;
  readonly #guard: (request: Request) => void;
  readonly #handlers: Record<RouteName, (call: Call<never>) => unknown>;
  readonly #route = createRouter({ ...routes, ...EXTRAS });
  readonly #running = new Set<Promise<Response>>();
  #openApi: string | undefined;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#guard = bearerGuard(options.apiKey);
    this.#handlers = createHandlers(options);
  }

  /** Answers a request; never throws. */
  fetch(request: Request): Promise<Response> {
    const answer = this.#answer(request);
    this.#running.add(answer);
    answer.then(() => this.#running.delete(answer));
    return answer;
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #answer(request: Request): Promise<Response> {
    let response: Response;
    try {
      response = await this.#dispatch(request);
    } catch (error) {
      response = errorResponse(error, this.#options.log);
    }
    // RFC 9110 §9.3.2: HEAD is GET without the content.
    return request.method === "HEAD" ? new Response(null, response) : response;
  }

  async #dispatch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { signal } = this.#options.form;
    // Before the guard: a container's health check has no key, and this tells nothing.
    if (pathname !== EXTRAS.health.path) this.#guard(request);
    const { name, id } = this.#route(request.method, pathname);
    if (signal.aborted) throw shuttingDown();
    if (name === "health") return json(200, { status: "ok" });
    if (name === "openapi") {
      this.#openApi ??= JSON.stringify(openApiDocument());
      return new Response(this.#openApi, { headers: { "content-type": "application/json" } });
    }
    const route: Route = routes[name];
    const call: Call<RouteName> = {
      request,
      id: route.path.includes("{id}") ? parseId(name, id) : 0,
      query: route.query && validate(route.query, queryObject(searchParams), "The query"),
      json: route.json && validate(route.json, await this.#readJson(request), "The body"),
    } as Call<RouteName>;
    return json(route.status, await this.#handlers[name](call as Call<never>));
  }

  #readJson(request: Request): Promise<unknown> {
    return readJson(request, { ...this.#options.form, maxBytes: JSON_BYTES });
  }
}

function json(status: number, body: unknown): Response {
  return Response.json(body, {
    status,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

/** Ids of this engine are integers from 1; anything else names nothing, which is 404 and not a mistake in the form. */
function parseId(name: RouteName, text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : notFound(name, decode(text));
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A parameter that comes more than once becomes a list, which no schema takes for one value. */
function queryObject(params: URLSearchParams): Record<string, string | string[]> {
  const names = new Set(params.keys());
  return Object.fromEntries([...names].map((name) => {
    const values = params.getAll(name);
    return [name, values.length === 1 ? values[0] ?? "" : values];
  }));
}
