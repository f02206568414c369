import { z } from "zod";
import { PromptError, type Prompts } from "../../src/prompts/mod.ts";
import { ResourceNotFoundError, type Resources } from "../../src/resources/mod.ts";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { startTestServer, type TestServerOptions } from "../support/server.ts";

const echo = defineTool({
  name: "echo",
  title: "Echo",
  description: "Returns its input.",
  scope: "read",
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ text: z.string() }),
  annotations,
  run: ({ text }) => Promise.resolve({ text }),
});

const steps = defineTool({
  name: "steps",
  title: "Steps",
  description: "Works in two steps and reports progress.",
  scope: "read",
  input: z.strictObject({}),
  output: z.strictObject({ done: z.boolean() }),
  annotations,
  run: async (_input, { report }) => {
    report({ progress: 1, total: 2, message: "first step" });
    await Promise.resolve();
    report({ progress: 2, total: 2 });
    return { done: true };
  },
});

/** A tool that runs until it is cancelled. */
export class Hanging {
  readonly #started = Promise.withResolvers<void>();
  readonly #aborted = Promise.withResolvers<void>();
  /** Resolves when a call runs. */
  readonly started = this.#started.promise;
  /** Resolves when the call's signal aborts. */
  readonly aborted = this.#aborted.promise;

  readonly tool: Tool = defineTool({
    name: "hang",
    title: "Hang",
    description: "Runs until it is cancelled.",
    scope: "read",
    input: z.strictObject({}),
    output: z.strictObject({}),
    annotations,
    run: (_input, { signal, report }) => {
      const { promise, reject } = Promise.withResolvers<Record<string, never>>();
      signal.addEventListener("abort", () => {
        this.#aborted.resolve();
        reject(signal.reason);
      }, { once: true });
      report({ progress: 1 });
      this.#started.resolve();
      return promise;
    },
  }) as unknown as Tool;
}

const GREETING = "fixture://greeting";
const TEMPLATE = "fixture://greetings/{name}";
const NAMES = ["Ada", "Adele", "Grace"];

const resources: Resources = {
  list: () => [{
    uri: GREETING,
    name: "greeting",
    title: "Greeting",
    description: "A greeting for everybody.",
    mimeType: "text/plain",
  }],
  templates: [{
    uriTemplate: TEMPLATE,
    name: "greeting-by-name",
    title: "Greeting by name",
    description: "A greeting for one.",
    mimeType: "text/plain",
  }],
  read(uri) {
    const name = uri === GREETING ? "everybody" : /^fixture:\/\/greetings\/(.+)$/.exec(uri)?.[1];
    if (name === undefined) return Promise.reject(new ResourceNotFoundError(uri, "Resource not found"));
    const text = `Hello, ${name}!`;
    return Promise.resolve({ contents: [{ uri, mimeType: "text/plain", text }], ttlMs: 1000 });
  },
  complete(uriTemplate, { name, value }) {
    const isKnown = uriTemplate === TEMPLATE && name === "name";
    return Promise.resolve(isKnown ? completion(value) : undefined);
  },
};

const prompts: Prompts = {
  scopeOf: () => "read",
  list: [{
    name: "greet",
    title: "Greet somebody",
    description: "Greets somebody by name.",
    arguments: [{ name: "name", description: "Who to greet.", required: true }],
  }],
  get(name, args) {
    if (name !== "greet") return Promise.reject(new PromptError(`Unknown prompt: ${name}`));
    if (args["name"] === undefined) {
      return Promise.reject(new PromptError('Missing argument: "name" is required'));
    }
    const text = `Say hello to ${args["name"]}.`;
    return Promise.resolve({
      description: "Greets somebody by name.",
      messages: [{ role: "user", content: { type: "text", text } }],
    });
  },
  complete: (prompt, { name, value }) =>
    Promise.resolve(prompt === "greet" && name === "name" ? completion(value) : undefined),
};

function completion(value: string) {
  const values = NAMES.filter((name) => name.startsWith(value));
  return { values, total: values.length, hasMore: false };
}

/** Starts the real server with the tools, resources and prompts of the fixtures, which call no engine. */
export function startFixtureServer(env: TestServerOptions["env"] = {}, ...more: readonly Tool[]) {
  const tools = [echo as unknown as Tool, steps as unknown as Tool, ...more];
  return startTestServer({
    env: { KB_ENGINE_URL: "http://127.0.0.1:1", KB_MCP_ALLOWED_ORIGINS: "https://app.example.com", ...env },
    tools,
    resources,
    prompts,
  });
}
