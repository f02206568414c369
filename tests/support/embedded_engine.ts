import { ErrorBody, hasEnded, Job, type Route, type RouteName, routes } from "../../src/contract/mod.ts";
import { Engine, type EngineOptions } from "../../src/engine/mod.ts";
import { engineOptions } from "./engine_options.ts";
import { writeNewDatabase } from "./new_database.ts";

/** Options of a request; the body is sent as a form, as bytes or as JSON. */
export interface Send {
  readonly id?: string | number;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Address of the client. Default: the request is sent from the engine's own process. */
  readonly address?: string;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** A response with its parsed body. */
export interface ParsedResponse {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests read bodies of any shape
  readonly body: any;
}

/** Maximum time to wait for a job, in milliseconds. */
const JOB_WAIT_MS = 60_000;

/**
 * An engine in its own directory, called over its HTTP API. Every response is validated against the contract.
 */
export class EmbeddedEngine implements AsyncDisposable {
  readonly dataDir: string;
  #engine: Engine;

  private constructor(engine: Engine, dataDir: string) {
    this.#engine = engine;
    this.dataDir = dataDir;
  }

  static async open(options: Partial<EngineOptions> = {}): Promise<EmbeddedEngine> {
    const dataDir = await Deno.makeTempDir();
    writeNewDatabase(dataDir);
    return await EmbeddedEngine.over(dataDir, options);
  }

  /** Opens an existing directory, which is removed at the end. */
  static async over(dataDir: string, options: Partial<EngineOptions> = {}): Promise<EmbeddedEngine> {
    return new EmbeddedEngine(await Engine.open({ ...engineOptions(dataDir), ...options }), dataDir);
  }

  /** Closes the engine and reopens its directory. */
  async reopen(options: Partial<EngineOptions> = {}): Promise<void> {
    await this.#engine.close();
    this.#engine = await Engine.open({ ...engineOptions(this.dataDir), ...options });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    await Deno.remove(this.dataDir, { recursive: true });
  }

  /** Calls a route of the contract, and validates the response or error against its schema. */
  async call(name: RouteName, send: Send = {}): Promise<ParsedResponse> {
    const route: Route = routes[name];
    const path = route.path.replace("{id}", String(send.id ?? ""));
    const response = await this.fetch(route.method, `${path}?${new URLSearchParams(send.query ?? {})}`, send);
    const ok = response.status === route.status;
    (ok ? route.response : ErrorBody).parse(response.body);
    return response;
  }

  /** Sends any request. */
  async fetch(
    method: string,
    path: string,
    { body, headers = {}, address, signal }: Send = {},
  ): Promise<ParsedResponse> {
    const raw = body instanceof FormData || body instanceof ReadableStream || body instanceof Uint8Array;
    const request = new Request(`http://engine${path}`, {
      method,
      headers: body === undefined || raw ? headers : { "content-type": "application/json", ...headers },
      ...(signal && { signal }),
      ...(body === undefined ? {} : { body: raw ? body as BodyInit : JSON.stringify(body) }),
    });
    const response = await this.#engine.fetch(
      request,
      address === undefined ? undefined : { remoteAddr: { hostname: address } },
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : isJson(response) ? JSON.parse(text) : text,
    };
  }

  /** Ingests a note or a file; resolves to the finished job. */
  async ingest(fields: Parameters<typeof formOf>[0]): Promise<Job> {
    const { status, body } = await this.call("createJob", { body: formOf(fields) });
    if (status !== 202) throw new Error(`The job was rejected: ${JSON.stringify(body)}`);
    return await this.jobEnd(body.job_id);
  }

  /** Resolves to a job when it and those of its files are done or failed. */
  async jobEnd(id: number): Promise<Job> {
    for (const deadline = Date.now() + JOB_WAIT_MS; Date.now() < deadline;) {
      const job = Job.parse((await this.call("getJob", { id })).body);
      if (hasEnded(job)) return job;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`Job ${id} must end within ${JOB_WAIT_MS} ms`);
  }

  /** Returns the names of the files in the spool. */
  spooled(): string[] {
    return [...Deno.readDirSync(`${this.dataDir}/spool`)].map((entry) => entry.name);
  }
}

/** Returns the form of `POST /api/v1/jobs`. A list is sent as repeated fields, in order. */
export function formOf(fields: Record<string, string | readonly string[] | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof File) form.append(name, value);
    else for (const each of [value].flat()) form.append(name, each as string);
  }
  return form;
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type") === "application/json";
}
