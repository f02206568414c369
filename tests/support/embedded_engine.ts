import { ErrorBody, Job, type Route, type RouteName, routes } from "../../src/contract/mod.ts";
import { Engine, type EngineOptions } from "../../src/engine/mod.ts";
import { engineOptions } from "./engine_options.ts";

/** What a request to the engine is made of; a FormData, or JSON. */
export interface Send {
  readonly id?: string | number;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** An answer with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- the tests look into bodies of every shape
  readonly body: any;
}

/** How long a test waits for a job, in milliseconds: long enough for a busy machine, and only if it fails. */
const JOB_WAIT_MS = 60_000;

/** An engine over a directory of its own, spoken to as any caller does; every answer is held to the contract. */
export class EmbeddedEngine implements AsyncDisposable {
  readonly dataDir: string;
  #engine: Engine;

  private constructor(engine: Engine, dataDir: string) {
    this.#engine = engine;
    this.dataDir = dataDir;
  }

  static async open(options: Partial<EngineOptions> = {}): Promise<EmbeddedEngine> {
    return await EmbeddedEngine.over(await Deno.makeTempDir(), options);
  }

  /** Opens a directory that is there already; it is removed at the end all the same. */
  static async over(dataDir: string, options: Partial<EngineOptions> = {}): Promise<EmbeddedEngine> {
    return new EmbeddedEngine(await Engine.open({ ...engineOptions(dataDir), ...options }), dataDir);
  }

  /** Closes the engine and opens its directory again. */
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

  /** Calls a route of the contract. Success is parsed by the route's schema, an error by the schema of errors. */
  async call(name: RouteName, send: Send = {}): Promise<Answer> {
    const route: Route = routes[name];
    const path = route.path.replace("{id}", String(send.id ?? ""));
    const answer = await this.fetch(route.method, `${path}?${new URLSearchParams(send.query ?? {})}`, send);
    const ok = answer.status === route.status;
    (ok ? route.response : ErrorBody).parse(answer.body);
    return answer;
  }

  /** Sends any request. */
  async fetch(method: string, path: string, { body, headers = {} }: Send = {}): Promise<Answer> {
    const raw = body instanceof FormData || body instanceof ReadableStream || body instanceof Uint8Array;
    const request = new Request(`http://engine${path}`, {
      method,
      headers: body === undefined || raw ? headers : { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: raw ? body as BodyInit : JSON.stringify(body) }),
    });
    const response = await this.#engine.fetch(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  }

  /** Accepts a note or a file and resolves to its ended job. */
  async ingest(fields: Parameters<typeof formOf>[0]): Promise<Job> {
    const { status, body } = await this.call("createJob", { body: formOf(fields) });
    if (status !== 202) throw new Error(`The job was refused: ${JSON.stringify(body)}`);
    return await this.jobEnd(body.job_id);
  }

  /** Resolves to a job once it has ended. */
  async jobEnd(id: number): Promise<Job> {
    for (const deadline = Date.now() + JOB_WAIT_MS; Date.now() < deadline;) {
      const job = Job.parse((await this.call("getJob", { id })).body);
      if (job.status === "done" || job.status === "failed") return job;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`Job ${id} must end within ${JOB_WAIT_MS} ms`);
  }

  /** Names of the files in the spool. */
  spooled(): string[] {
    return [...Deno.readDirSync(`${this.dataDir}/spool`)].map((entry) => entry.name);
  }
}

/** The form of `POST /api/v1/jobs`; a list is sent as repeated parts, in the order given. */
export function formOf(fields: Record<string, string | readonly string[] | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof File) form.append(name, value);
    else for (const each of [value].flat()) form.append(name, each as string);
  }
  return form;
}
