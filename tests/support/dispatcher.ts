import { z } from "zod";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { Collections } from "../../src/collections/mod.ts";
import type { Scope } from "../../src/keys/mod.ts";
import { Dispatcher, parseMessage, type RequestContext, ResponseStream } from "../../src/mcp/mod.ts";
import { PromptError, type Prompts } from "../../src/prompts/mod.ts";
import { ResourceNotFoundError, type Resources } from "../../src/resources/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool, type ToolContext, ToolError } from "../../src/tools/mod.ts";
import { Uploads } from "../../src/uploads/mod.ts";
import { annotations } from "./annotations.ts";
import { joinText } from "../../src/text/mod.ts";

const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description: "Returns the caller.",
  scope: "read",
  input: z.strictObject({ times: z.int().max(3).optional() }),
  output: z.object({ caller: z.string(), base_url: z.string() }),
  annotations,
  run: (_, { caller, baseUrl }) => Promise.resolve({ caller: caller.id, base_url: baseUrl }),
});

function variant(name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool {
  return { ...whoami, name, input: z.strictObject({}), run, ...more } as unknown as Tool;
}

function failing(name: string, error: Error): Tool {
  return variant(name, () => Promise.reject(error));
}

/** State of the tool `wait`, and the last progress callback. */
export interface Waiting {
  running: number;
  aborted: number;
  /** Resolves when a call runs. */
  started: PromiseWithResolvers<void>;
  /** Reports progress for the last call of `wait` or `linger`. */
  report?: ToolContext["report"];
}

function waitingTool(waiting: Waiting): Tool {
  return variant("wait", async (_, { signal, report }) => {
    waiting.report = report;
    report({ progress: 1, total: 2, message: "waiting" });
    waiting.running++;
    waiting.started.resolve();
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

/** Returns at once, but may report progress later. */
function lingeringTool(waiting: Waiting): Tool {
  return variant("linger", (_, { report }) => {
    waiting.report = report;
    return Promise.resolve({ caller: "", base_url: "" });
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
    description: "The only resource.",
    mimeType: "text/plain",
  }],
  templates: [{
    uriTemplate: "test://{name}",
    name: "any",
    title: "Any",
    description: "Any resource.",
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
      : Promise.reject(new ResourceNotFoundError(uri, "The resource does not exist.")),
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
  scopeOf: () => "add",
  get: (name, { whom }) =>
    name === "greet" && whom !== undefined
      ? Promise.resolve({
        description: "Says hello.",
        messages: [{ role: "user", content: { type: "text", text: `Hello, ${whom}.` } }],
      })
      : Promise.reject(new PromptError(`Prompt ${name} requires whom.`)),
  complete: (name, { value }) => Promise.resolve(name === "greet" ? { values: [`${value}rld`] } : undefined),
};

/**
 * Opens a dispatcher with a few tools, a resource and a prompt, without HTTP and without an engine.
 *
 * @param moreTools Additional tools.
 * @param hasResourceLinks Whether results have links to documents.
 */
export async function openDispatcher(moreTools: readonly Tool[] = [], hasResourceLinks = true) {
  const uploads = await Uploads.open({ maxBytes: 1, maxPerCaller: 1, maxStagedBytes: 1, idleMs: 1000 });
  const waiting: Waiting = { running: 0, aborted: 0, started: Promise.withResolvers<void>() };
  const shared = {
    engine: new EngineClient({ baseUrl: "http://127.0.0.1:1" }),
    collections: new Collections(),
    uploads,
    log: silentLogger,
    jobWaitMs: 0,
    now: Date.now,
    draining: new AbortController().signal,
    server: () => ({ name: "t", version: "1", protocol_versions: [], engine: "", uptime_seconds: 0 }),
  };
  const tools = [
    whoami as unknown as Tool,
    failing("mistaken", new ToolError("Give exactly one of a and b.")),
    failing("engineless", new EngineError("unreachable", "The engine is unreachable.")),
    failing("broken", new Error("SELECT secret FROM /var/lib")),
    waitingTool(waiting),
    lingeringTool(waiting),
    counting,
    linking,
    ...moreTools,
  ];
  const description = {
    name: "t",
    title: "T",
    version: "1",
    description: "D",
    icon: "M0 0h8v8z",
    instructions: (scope: Scope) => scope === "write" ? "Use it well." : `Use it to ${scope}.`,
    tools,
    resourceLinks: hasResourceLinks,
    resources,
    prompts,
  };
  const dispatcher = new Dispatcher(description, shared);

  /** Dispatches one message without waiting for the end of a stream. */
  async function dispatch(
    message: unknown,
    headers: Record<string, string> = {},
    context: Partial<RequestContext> = {},
  ) {
    return await dispatcher.handle(parseMessage(new TextEncoder().encode(JSON.stringify(message))), {
      caller: { id: "alice", scope: "write" },
      baseUrl: "http://kb.example",
      headers: new Headers(headers),
      watchClient: () => () => {},
      reserveMemory: () => true,
      ...context,
    });
  }

  /** Dispatches one message and parses the response; `events` are the messages of an event stream. */
  async function send(...args: Parameters<typeof dispatch>) {
    const { status, body, sessionId } = await dispatch(...args);
    if (!(body instanceof ResponseStream)) {
      return {
        status,
        sessionId,
        events: undefined,
        message: body === null ? null : JSON.parse(joinText(body)),
      };
    }
    const text = await new Response(body.body).text();
    const events = [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(([, json]) =>
      JSON.parse(String(json))
    );
    return { status, sessionId, events, message: events.at(-1) };
  }

  return {
    dispatcher,
    uploads,
    tools,
    waiting,
    dispatch,
    send,
    async [Symbol.asyncDispose]() {
      dispatcher[Symbol.dispose]();
      await uploads[Symbol.asyncDispose]();
    },
  };
}

/** The `serverInfo` of {@linkcode openDispatcher}'s server. */
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
