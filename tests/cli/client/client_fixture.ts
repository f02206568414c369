import { ACTOR, type ClientContext } from "../../../src/cli/client/client_context.ts";
import { Output } from "../../../src/cli/client/output.ts";
import { EngineClient } from "../../../src/client/mod.ts";
import { Collections } from "../../../src/collections/mod.ts";
import { Engine, type EngineOptions } from "../../../src/engine/mod.ts";
import { engineOptions } from "../../support/engine_options.ts";
import { writeNewDatabase } from "../../support/new_database.ts";

/** Output of a command. */
export interface Printed {
  readonly text: string;
  readonly error: string;
}

/** An engine with the context of commands that use it. */
export class ClientFixture implements AsyncDisposable {
  readonly client: EngineClient;
  readonly #engine: Engine;
  readonly #dataDir: string;

  private constructor(engine: Engine, dataDir: string) {
    this.#engine = engine;
    this.#dataDir = dataDir;
    this.client = new EngineClient({ baseUrl: "http://embedded", fetch: (request) => engine.fetch(request) });
  }

  static async open(options: Partial<EngineOptions> = {}): Promise<ClientFixture> {
    const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
    writeNewDatabase(dataDir);
    return new ClientFixture(await Engine.open({ ...engineOptions(dataDir), ...options }), dataDir);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    await Deno.remove(this.#dataDir, { recursive: true });
  }

  /** Adds a note and returns its id. */
  async add(
    text: string,
    fields: { title?: string; source_path?: string; tags?: string[] } = {},
  ): Promise<number> {
    const { job_id } = await this.client.addNote(
      { text, tags: ["collection:documents"], ...fields },
      { actor: ACTOR },
    );
    const { document_id } = await this.client.waitForJob(job_id, { timeoutMs: 60_000 });
    return Number(document_id);
  }

  /** Returns a client whose requests pass through a function. */
  clientWith(
    intercept: (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>,
  ): EngineClient {
    const fetch = (request: Request) => intercept(request, (request) => this.#engine.fetch(request));
    return new EngineClient({ baseUrl: "http://embedded", fetch });
  }

  /** Runs a command and returns its exit status. */
  async status(action: (context: ClientContext) => Promise<number>): Promise<number> {
    let status = 0;
    await this.terminal(async (context) => status = await action(context));
    return status;
  }

  /** Runs a command on a terminal of 100 columns. */
  terminal(action: (context: ClientContext) => Promise<unknown>, client = this.client): Promise<Printed> {
    return run(action, client, { isTerminal: true, columns: 100 });
  }

  /** Runs a command whose output is piped, and parses its JSON. */
  async json(action: (context: ClientContext) => Promise<unknown>, client = this.client) {
    const { text } = await run(action, client, { isTerminal: false });
    return JSON.parse(text);
  }
}

async function run(
  action: (context: ClientContext) => Promise<unknown>,
  client: EngineClient,
  options: { isTerminal: boolean; columns?: number; color?: boolean },
): Promise<Printed> {
  let text = "";
  let error = "";
  const output = new Output({
    print: (part) => text += part,
    printError: (message) => error += `${message}\n`,
    ...options,
  });
  await action({
    client,
    engineName: "test",
    confirm: undefined,
    collections: new Collections(),
    output,
    now: Date.now,
    signal: new AbortController().signal,
  });
  return { text, error };
}
