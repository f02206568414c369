import { runStdio, type StdioOptions } from "../../../src/cli/stdio/mod.ts";
import { type Config, loadConfig } from "../../../src/config/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";

/** A message that the bridge has written. */
export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  // deno-lint-ignore no-explicit-any -- each test knows the result of its method
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Returns a configuration without an embedding model. */
export function configFor(settings: Record<string, string>): Config {
  const env: Record<string, string> = { KB_EMBEDDINGS_MODEL: "off", ...settings };
  return loadConfig({ env: (name) => env[name], readFile: () => "" });
}

/** A client of `kb-mcp stdio` in this process. */
export class StdioClient {
  /** Everything that was written to standard output. */
  output = "";
  /** Exit status, when the input has ended. */
  readonly status: Promise<number>;
  readonly #input = new TransformStream<Uint8Array, Uint8Array>();
  readonly #writer = this.#input.writable.getWriter();
  readonly #messages: Message[] = [];
  #arrived = Promise.withResolvers<void>();

  constructor(config: Config, options: Partial<StdioOptions> = {}) {
    const decoder = new TextDecoder();
    this.status = runStdio(config, {
      log: silentLogger,
      defaultDataDir: () => "/nonexistent",
      ...options,
      input: this.#input.readable,
      output: new WritableStream({
        write: (bytes) => this.#receive(decoder.decode(bytes)),
      }),
    });
  }

  /** Writes a line to standard input. */
  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Writes text to standard input. */
  write(text: string): void {
    this.#writer.write(new TextEncoder().encode(text)).catch(() => {});
  }

  /** Waits for the first message that fits, from the beginning. */
  async receive(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const message = this.#messages.find(fits);
      if (message) return message;
      await this.#arrived.promise;
    }
  }

  /** Sends a request and waits for its response. */
  request(id: number | string, method: string, params?: Record<string, unknown>): Promise<Message> {
    this.send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    return this.receive((message) => message.id === id && message.method === undefined);
  }

  /** Negotiates a protocol version. */
  async initialize(protocolVersion = "2025-11-25"): Promise<Message> {
    const clientInfo = { name: "test client", version: "1" };
    const response = await this.request("init", "initialize", {
      protocolVersion,
      capabilities: {},
      clientInfo,
    });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return response;
  }

  /** Ends the input and returns the exit status. */
  async close(): Promise<number> {
    await this.#writer.close();
    return await this.status;
  }

  #receive(text: string): void {
    this.output += text;
    for (const line of text.split("\n")) {
      if (line !== "") this.#messages.push(JSON.parse(line));
    }
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }
}
