import { z } from "zod";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { Collections } from "../../src/collections/mod.ts";
import { AnswerStream, type CallContext, McpDoor, readMessage } from "../../src/mcp/mod.ts";
import { PromptError, type Prompts } from "../../src/prompts/mod.ts";
import { ResourceNotFoundError, type Resources } from "../../src/resources/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool, ToolError } from "../../src/tools/mod.ts";
import { Uploads } from "../../src/uploads/mod.ts";
import { annotations } from "./annotations.ts";

const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description: "Says who calls.",
  input: z.strictObject({ times: z.int().max(3).optional() }),
  output: z.object({ caller: z.string(), base_url: z.string() }),
  annotations,
  scope: "read",
  run: (_, { caller, baseUrl }) => Promise.resolve({ caller: caller.id, base_url: baseUrl }),
});

function variant(name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool {
  return { ...whoami, name, input: z.strictObject({}), run, ...more } as unknown as Tool;
}

function failing(name: string, error: Error): Tool {
  return variant(name, () => Promise.reject(error));
}

/** Calls that {@linkcode openDoor}'s tool `wait` runs, and those that were aborted. */
export interface Waiting {
  running: number;
  aborted: number;
  /** Resolves once one more call waits. */
  arrived: PromiseWithResolvers<void>;
}

function waitingTool(waiting: Waiting): Tool {
  return variant("wait", async (_, { signal, report }) => {
    report({ progress: 1, total: 2, message: "waiting" });
    waiting.running++;
    waiting.arrived.resolve();
    try {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    } catch (error) {
      waiting.aborted++;
      throw error;
    } finally {
      waiting.running--;
    }
    return {};
  });
}

const counting = variant("count", (_, { report }) => {
  for (const progress of [1, 1, 0.5, 2, 3]) report({ progress, total: 3, message: `step ${progress}` });
  return Promise.resolve({ caller: "", base_url: "" });
});

const linking = variant("link", () => Promise.resolve({ caller: "", base_url: "" }), {
  content: () => [{ type: "resource_link", uri: "test://one", name: "One" }],
});

const resources: Resources = {
  list: () => [{
    uri: "test://one",
    name: "one",
    title: "One",
    description: "The only one.",
    mimeType: "text/plain",
  }],
  templates: [{
    uriTemplate: "test://{name}",
    name: "any",
    title: "Any",
    description: "Any of them.",
    mimeType: "text/plain",
  }],
  read: (uri, { caller }) =>
    uri === "test://one"
      ? Promise.resolve({
        contents: [{ uri, mimeType: "text/plain", text: `for ${caller.id}` }],
        ttlMs: 1000,
      })
      : uri === "test://engine"
      ? Promise.reject(new EngineError("unreachable", "The engine is unreachable."))
      : Promise.reject(new ResourceNotFoundError(uri, "There is no such resource.")),
  complete: (uriTemplate, { name, value, others }) =>
    Promise.resolve(
      uriTemplate === "test://{name}" && name === "name"
        ? { values: [`${value}ne`, ...Object.keys(others)], total: 1 }
        : undefined,
    ),
};

const prompts: Prompts = {
  list: [{
    name: "greet",
    title: "Greet",
    description: "Says hello.",
    arguments: [{ name: "whom", description: "Whom.", required: true }],
  }],
  get: (name, { whom }) =>
    name === "greet" && whom !== undefined
      ? Promise.resolve({
        description: "Says hello.",
        messages: [{ role: "user", content: { type: "text", text: `Hello, ${whom}.` } }],
      })
      : Promise.reject(new PromptError(`Prompt ${name} wants whom.`)),
  complete: (name, { value }) => Promise.resolve(name === "greet" ? { values: [`${value}rld`] } : undefined),
};

/**
 * A door to a few tools, a resource and a prompt, with no HTTP and no engine.
 *
 * @param more Further tools.
 */
export async function openDoor(more: readonly Tool[] = []) {
  const uploads = await Uploads.open({ maxBytes: 1, maxPerCaller: 1, maxStagedBytes: 1, idleMs: 1000 });
  const waiting: Waiting = { running: 0, aborted: 0, arrived: Promise.withResolvers<void>() };
  const shared = {
    engine: new EngineClient({ baseUrl: "http://127.0.0.1:1" }),
    collections: new Collections(),
    uploads,
    log: silentLogger,
    jobWaitMs: 0,
    draining: new AbortController().signal,
    server: () => ({ name: "t", version: "1", protocol_versions: [], engine: "", uptime_seconds: 0 }),
  };
  const tools = [
    whoami as unknown as Tool,
    failing("mistaken", new ToolError("Give exactly one of a and b.")),
    failing("engineless", new EngineError("unreachable", "The engine is unreachable.")),
    failing("broken", new Error("SELECT secret FROM /var/lib")),
    waitingTool(waiting),
    counting,
    linking,
    ...more,
  ];
  const description = {
    name: "t",
    title: "T",
    version: "1",
    description: "D",
    icon: "M0 0h8v8z",
    instructions: "Use it well.",
    tools,
    resources,
    prompts,
  };
  const door = new McpDoor(description, shared);
  /** Sends one message; a stream is read to its end. */
  async function send(
    message: unknown,
    headers: Record<string, string> = {},
    call: Partial<CallContext> = {},
  ) {
    const { status, body, sessionId } = await door.handle(inboundOf(message), {
      caller: { id: "alice" },
      baseUrl: "http://kb.example",
      headers: new Headers(headers),
      watchClient: () => () => {},
      ...call,
    });
    if (!(body instanceof AnswerStream)) {
      return { status, sessionId, events: undefined, message: body === null ? null : JSON.parse(body) };
    }
    const text = await new Response(body.body).text();
    const events = [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json]) =>
      JSON.parse(String(json))
    );
    return { status, sessionId, events, message: events.at(-1) };
  }
  return {
    door,
    uploads,
    tools,
    waiting,
    send,
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      await uploads[Symbol.asyncDispose]();
    },
  };
}

/** What the server of {@linkcode openDoor} says of itself to a client that meets it. */
export const SERVER_INFO = {
  name: "t",
  title: "T",
  version: "1",
  description: "D",
  icons: [{
    src: `data:image/svg+xml;base64,${
      btoa(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="tan" d="M0 0h8v8z"/></svg>',
      )
    }`,
  }],
};

/** A message as the door takes it. */
export function inboundOf(message: unknown): ReturnType<typeof readMessage> {
  return readMessage(new TextEncoder().encode(JSON.stringify(message)));
}
