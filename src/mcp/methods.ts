import { PromptError } from "../prompts/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "../resources/mod.ts";
import { includesScope, type Scope } from "../keys/mod.ts";
import { type Caller, describeError, type Tool, type ToolContext } from "../tools/mod.ts";
import { closestName, escapeInvisible, type Text } from "../text/mod.ts";
import { escapeNonAscii } from "./ascii.ts";
import { callTool, type ToolCallResult } from "./call_tool.ts";
import type { CallRecorder } from "./call_recorder.ts";
import type { ServerDescription, SharedContext } from "./context.ts";
import { ErrorCode, isObject, JsonRpcError, type Params } from "./json_rpc.ts";
import { allowedTools, SCOPE_REQUIRED } from "./scope_check.ts";
import { listTools } from "./tool_list.ts";

/** The result of a method, without the fields that a protocol version adds. */
export interface MethodResult {
  /** JSON text of an object that is not empty. The last part is not encoded. */
  readonly json: Text;
  /** How clients may cache it; undefined: not at all. */
  readonly cache?: CacheHints;
}

/** Cache hints of MCP 2026-07-28, Caching. */
export interface CacheHints {
  readonly ttlMs: number;
  /** `public`: the same for all callers. */
  readonly cacheScope: "public" | "private";
}

/** The request that a method runs for, and what depends on its protocol version. */
export interface MethodContext extends Pick<ToolContext, "caller" | "baseUrl" | "signal" | "report"> {
  /** Whether the protocol version has `resource_link`. */
  readonly resourceLinks: boolean;
  /** Error code for a resource that does not exist. */
  readonly resourceNotFoundCode: number;
}

type Method = (params: Params, context: MethodContext) => Promise<MethodResult>;

/** Lists change with a new version or configuration, that is with a new process, and with the first source. */
const LIST_CACHE: CacheHints = { ttlMs: 300_000, cacheScope: "public" };

const OWN_LIST_CACHE: CacheHints = { ...LIST_CACHE, cacheScope: "private" };

/** Returns the cache hints of lists and instructions. With named keys, they depend on the scope of a key. */
export function listCacheFor({ key }: Pick<Caller, "key">): CacheHints {
  return key === undefined ? LIST_CACHE : OWN_LIST_CACHE;
}

const OK = { outcome: "ok" };

/** Stands for all callers of a server without named keys. */
const NO_KEY = "none";

/** Maximum length of a URI that an error repeats, in characters. */
const MAX_URI_CHARS = 2000;

/**
 * The methods that all protocol versions share, with the same parameters and results.
 *
 * Parameters are checked here instead of by the SDKs' schemas, which take half the time of a small request.
 */
export class Methods {
  /** Capabilities of this server (MCP, `ServerCapabilities`). */
  readonly capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} } as const;
  #description: ServerDescription;
  readonly #shared: SharedContext;
  readonly #recorder: CallRecorder;
  #tools: ReadonlyMap<string, Tool>;
  readonly #methods: ReadonlyMap<string, Method>;
  /** By scope of the caller's key; on a server without named keys by {@linkcode NO_KEY}. */
  readonly #lists = new Map<Scope | typeof NO_KEY, ReadonlyMap<string, MethodResult>>();

  constructor(description: ServerDescription, shared: SharedContext, recorder: CallRecorder) {
    this.#description = description;
    this.#shared = shared;
    this.#recorder = recorder;
    this.#tools = byName(description.tools);
    this.#methods = new Map<string, Method>([
      ["tools/call", (params, context) => this.#callTool(params, context)],
      ["resources/read", (params, context) => this.#readResource(params, context)],
      ["prompts/get", (params, context) => this.#getPrompt(params, context)],
      ["completion/complete", (params, context) => this.#complete(params, context)],
      // Reached with a cursor only.
      ["tools/list", rejectCursor],
      ["resources/list", rejectCursor],
      ["resources/templates/list", rejectCursor],
      ["prompts/list", rejectCursor],
    ]);
  }

  /** Serves other tools from now on. */
  setTools(tools: readonly Tool[]): void {
    this.#description = { ...this.#description, tools };
    this.#tools = byName(tools);
    this.#lists.clear();
  }

  /** Builds the lists before the first request. */
  warmUp(): void {
    this.#listsFor({ scope: "write" });
  }

  /**
   * Returns the constant result of a list method for a caller, or undefined for other methods and requests with a
   * cursor.
   */
  list(method: string, params: Params, caller: Caller): MethodResult | undefined {
    return (params["cursor"] ?? null) === null ? this.#listsFor(caller).get(method) : undefined;
  }

  #listsFor(caller: Pick<Caller, "scope" | "key">): ReadonlyMap<string, MethodResult> {
    const key = caller.key === undefined ? NO_KEY : caller.scope;
    let lists = this.#lists.get(key);
    if (!lists) this.#lists.set(key, lists = this.#buildLists(caller));
    return lists;
  }

  /**
   * Returns the function that runs a method, or undefined for an unknown method. The function rejects with a
   * {@linkcode JsonRpcError} for an error of the client or the engine.
   */
  get(method: string): Method | undefined {
    const run = this.#methods.get(method);
    // The tool is part of the record.
    if (!run || method === "tools/call") return run;
    return (params, context) =>
      this.#recorder.run({ method, caller: context.caller }, () => run(params, context), () => OK);
  }

  /** Building JSON Schemas for every request took two thirds of its time. */
  #buildLists(caller: Pick<Caller, "scope" | "key">): ReadonlyMap<string, MethodResult> {
    const { tools, resources, prompts } = this.#description;
    const { scope } = caller;
    const cache = listCacheFor(caller);
    const lists = {
      "tools/list": listTools(tools, scope),
      "resources/list": { resources: resources.list(this.#shared) },
      "resources/templates/list": { resourceTemplates: resources.templates },
      "prompts/list": {
        prompts: prompts.list.filter(({ name }) => includesScope(scope, prompts.scopeOf(name))),
      },
    };
    return new Map(
      Object.entries(lists).map(([method, list]) => {
        return [method, { json: escapeNonAscii(JSON.stringify(list)), cache }];
      }),
    );
  }

  async #callTool(params: Params, context: MethodContext): Promise<MethodResult> {
    const tool = this.#tools.get(params["name"] as string);
    const call = { method: "tools/call", tool, caller: context.caller };
    return await this.#recorder.run(call, () => this.#runTool(tool, params, context), (result) => result);
  }

  async #runTool(tool: Tool | undefined, params: Params, context: MethodContext): Promise<ToolCallResult> {
    const name = requireString(params, "name");
    const args = params["arguments"] ?? {};
    if (!isObject(args)) throw invalidParams('"arguments" must be an object');
    if (!tool) throw this.#unknownTool(truncateName(name), context.caller);
    const { caller, baseUrl, signal, report, resourceLinks } = context;
    const toolContext: ToolContext = {
      ...this.#shared,
      tools: allowedTools(this.#description.tools, caller.scope),
      caller,
      baseUrl,
      signal,
      report,
    };
    return await callTool(tool, {
      arguments: args,
      context: toolContext,
      resourceLinks: resourceLinks && this.#description.resourceLinks === true,
    });
  }

  /** Clients that show protocol errors to the model let it correct the name. */
  #unknownTool(name: string, { scope }: Caller): JsonRpcError {
    const names = allowedTools(this.#description.tools, scope).map((tool) => tool.name);
    const closest = closestName(name.toLowerCase().replaceAll("-", "_"), names);
    const hint = closest === undefined ? "" : `. Did you mean ${closest}?`;
    return new JsonRpcError(ErrorCode.invalidParams, `Unknown tool: ${name}${hint}`);
  }

  async #readResource(params: Params, context: MethodContext): Promise<MethodResult> {
    const uri = requireString(params, "uri");
    try {
      const { contents, ttlMs } = await this.#description.resources.read(uri, this.#readContext(context));
      return { json: JSON.stringify({ contents }), cache: { ttlMs, cacheScope: "private" } };
    } catch (error) {
      if (!(error instanceof ResourceNotFoundError)) throw this.#internalError("resources/read", error);
      const data = uri.length <= MAX_URI_CHARS && escapeInvisible(uri) === uri ? { uri } : undefined;
      throw new JsonRpcError(context.resourceNotFoundCode, error.message, data);
    }
  }

  async #getPrompt(params: Params, context: MethodContext): Promise<MethodResult> {
    const name = requireString(params, "name");
    const args = requireStrings(params["arguments"], "arguments");
    const required = this.#description.prompts.scopeOf(name);
    const { scope } = context.caller;
    if (!includesScope(scope, required)) {
      const message =
        `The prompt needs a key with the scope ${required}, and yours has ${scope}: ask the operator of this ` +
        "server to change it (kb-mcp key change)";
      throw new JsonRpcError(ErrorCode.invalidParams, message, { code: SCOPE_REQUIRED, required, scope });
    }
    try {
      const prompt = await this.#description.prompts.get(name, args, this.#readContext(context));
      return { json: JSON.stringify(prompt) };
    } catch (error) {
      if (!(error instanceof PromptError)) throw this.#internalError("prompts/get", error);
      throw new JsonRpcError(ErrorCode.invalidParams, error.message);
    }
  }

  async #complete({ ref, argument, context: known }: Params, context: MethodContext): Promise<MethodResult> {
    if (!isObject(ref)) throw invalidParams('"ref" must be an object');
    if (!isObject(argument)) throw invalidParams('"argument" must be an object');
    const query = {
      name: requireString(argument, "name"),
      value: requireString(argument, "value"),
      others: requireStrings(isObject(known) ? known["arguments"] : undefined, "context.arguments"),
    };
    const isPrompt = ref["type"] === "ref/prompt";
    if (!isPrompt && ref["type"] !== "ref/resource") {
      throw invalidParams('"ref.type" must be "ref/prompt" or "ref/resource"');
    }
    const target = requireString(ref, isPrompt ? "name" : "uri");
    const { prompts, resources } = this.#description;
    const completion = await (isPrompt ? prompts : resources)
      .complete(target, query, this.#readContext(context))
      .catch((error) => {
        throw this.#internalError("completion/complete", error);
      });
    if (!completion) throw invalidParams("no prompt or resource template has this reference and argument");
    return { json: JSON.stringify({ completion }) };
  }

  #readContext({ caller, signal }: MethodContext): ReadContext {
    return { ...this.#shared, caller, signal };
  }

  #internalError(method: string, error: unknown): JsonRpcError {
    const message = describeError(error, { tool: method, log: this.#shared.log });
    return new JsonRpcError(ErrorCode.internalError, message);
  }
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function rejectCursor(): Promise<never> {
  const message = "Unknown cursor: the list has one page, send the request without a cursor";
  return Promise.reject(new JsonRpcError(ErrorCode.invalidParams, message));
}

function invalidParams(reason: string): JsonRpcError {
  return new JsonRpcError(ErrorCode.invalidParams, `Invalid params: ${reason}`);
}

function requireString(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw invalidParams(`"${name}" must be a string`);
  return value;
}

function requireStrings(value: unknown, name: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || Object.values(value).some((each) => typeof each !== "string")) {
    throw invalidParams(`"${name}" must be an object of strings`);
  }
  return value as Record<string, string>;
}

/** Cuts a name from a request to a readable length. */
export function truncateName(name: string): string {
  return name.slice(0, 128).toWellFormed();
}
