import { PromptError } from "../prompts/mod.ts";
import { type Completion, type ReadContext, ResourceNotFoundError } from "../resources/mod.ts";
import { describeError, type Tool, type ToolContext } from "../tools/mod.ts";
import { escapeNonAscii } from "./ascii.ts";
import { callTool } from "./call_tool.ts";
import { isObject, RPC } from "./json_rpc.ts";
import { RpcError } from "./rpc_error.ts";
import type { ServerDescription, SharedContext } from "./server_description.ts";
import { listTools } from "./tool_list.ts";

/** The result of a method, before an era puts its own fields to it. */
export interface MethodResult {
  readonly result: Record<string, unknown>;
  /** The JSON text of `result`, if it is there already. */
  readonly json?: string;
  /** How long a client may keep it, in milliseconds; undefined: not at all. */
  readonly ttlMs?: number;
  /** Whether it is the same for all callers. */
  readonly isPublic?: boolean;
}

/** Of one call. */
export type MethodContext = Pick<ToolContext, "caller" | "baseUrl" | "signal" | "report"> & {
  /** Whether the client's revision knows `resource_link`. */
  readonly links: boolean;
};

/** What differs between the eras. */
export interface Dialect {
  /** Code of the error for a resource that is not there. */
  readonly resourceNotFound: number;
}

/** The lists change with a new version or configuration, which means a new process. */
export const LIST_TTL_MS = 300_000;

/** Longest URI that is repeated to who asked for it. */
const MAX_URI_CHARS = 2000;

type Params = Readonly<Record<string, unknown>>;

/**
 * The methods that both protocol eras have, with the same parameters and results.
 *
 * Parameters are checked here and not by the SDKs' schemas, whose verdicts go out as internal errors, and which took
 * half the time of a small call.
 */
export class Methods {
  /** What is declared: only what is there. */
  readonly capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} } as const;
  readonly #description: ServerDescription;
  readonly #shared: SharedContext;
  readonly #dialect: Dialect;
  readonly #tools: ReadonlyMap<string, Tool>;
  /** Answers that are always the same. */
  readonly #lists: ReadonlyMap<string, MethodResult>;

  constructor(description: ServerDescription, shared: SharedContext, dialect: Dialect) {
    const { tools, resources, prompts } = description;
    this.#description = description;
    this.#shared = shared;
    this.#dialect = dialect;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#lists = new Map([
      ["tools/list", constant({ ...listTools(tools) })],
      ["resources/list", constant({ resources: resources.list(shared) })],
      ["resources/templates/list", constant({ resourceTemplates: resources.templates })],
      ["prompts/list", constant({ prompts: prompts.list })],
    ]);
  }

  /** The answers that are always the same. */
  get constants(): Iterable<MethodResult> {
    return this.#lists.values();
  }

  /**
   * Answers a request.
   *
   * @throws {RpcError} What the client did wrong, or what went wrong at the engine.
   */
  answer(method: string, params: Params, context: MethodContext): Promise<MethodResult> | MethodResult {
    switch (method) {
      case "tools/call":
        return this.#callTool(params, context);
      case "resources/read":
        return this.#readResource(params, context);
      case "prompts/get":
        return this.#getPrompt(params, context);
      case "completion/complete":
        return this.#complete(params, context);
      default: {
        const list = this.#lists.get(method);
        if (!list) throw new RpcError(RPC.methodNotFound, `Method not found: ${shown(method)}`);
        if ((params["cursor"] ?? null) !== null) {
          throw new RpcError(
            RPC.invalidParams,
            "Unknown cursor: the list has one page, ask without a cursor",
          );
        }
        return list;
      }
    }
  }

  #callTool(params: Params, context: MethodContext): Promise<MethodResult> {
    const name = requireString(params, "name");
    const args = params["arguments"] ?? {};
    if (!isObject(args)) throw invalidParams('"arguments" must be an object');
    const tool = this.#tools.get(name);
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${shown(name)}`);
    const { caller, baseUrl, signal, report } = context;
    return callTool(tool, args, { ...this.#shared, caller, baseUrl, signal, report }, context.links);
  }

  async #readResource(params: Params, context: MethodContext): Promise<MethodResult> {
    const uri = requireString(params, "uri");
    try {
      const { contents, ttlMs } = await this.#description.resources.read(uri, this.#readContext(context));
      return { result: { contents }, ttlMs };
    } catch (error) {
      if (!(error instanceof ResourceNotFoundError)) throw this.#internal("resources/read", error);
      const data = uri.length <= MAX_URI_CHARS && uri.isWellFormed() ? { uri } : undefined;
      throw new RpcError(this.#dialect.resourceNotFound, error.message, data);
    }
  }

  async #getPrompt(params: Params, context: MethodContext): Promise<MethodResult> {
    const name = requireString(params, "name");
    const args = stringsOf(params["arguments"], "arguments");
    try {
      return { result: { ...await this.#description.prompts.get(name, args, this.#readContext(context)) } };
    } catch (error) {
      throw error instanceof PromptError
        ? new RpcError(RPC.invalidParams, error.message)
        : this.#internal("prompts/get", error);
    }
  }

  async #complete(params: Params, context: MethodContext): Promise<MethodResult> {
    const { ref, argument, context: known } = params;
    if (!isObject(ref)) throw invalidParams('"ref" must be an object');
    if (!isObject(argument)) throw invalidParams('"argument" must be an object');
    const query = {
      name: requireString(argument, "name"),
      value: requireString(argument, "value"),
      others: stringsOf(isObject(known) ? known["arguments"] : undefined, "context.arguments"),
    };
    const { prompts, resources } = this.#description;
    let completion: Completion | undefined;
    try {
      if (ref["type"] === "ref/prompt") {
        completion = await prompts.complete(requireString(ref, "name"), query, this.#readContext(context));
      } else if (ref["type"] === "ref/resource") {
        completion = await resources.complete(requireString(ref, "uri"), query, this.#readContext(context));
      } else {
        throw invalidParams('"ref.type" must be "ref/prompt" or "ref/resource"');
      }
    } catch (error) {
      throw error instanceof RpcError ? error : this.#internal("completion/complete", error);
    }
    if (!completion) throw invalidParams("nothing listed has this reference and argument");
    return { result: { completion } };
  }

  #readContext({ caller, signal }: MethodContext): ReadContext {
    return { ...this.#shared, caller, signal };
  }

  #internal(tool: string, error: unknown): RpcError {
    return new RpcError(RPC.internalError, describeError(error, { tool, log: this.#shared.log }));
  }
}

function constant(result: Record<string, unknown>): MethodResult {
  return { result, json: escapeNonAscii(JSON.stringify(result)), ttlMs: LIST_TTL_MS, isPublic: true };
}

function invalidParams(reason: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${reason}`);
}

function requireString(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw invalidParams(`"${name}" must be a string`);
  return value;
}

/** A name that came from outside, cut to what a person reads. */
function shown(name: string): string {
  return name.slice(0, 128).toWellFormed();
}

function stringsOf(value: unknown, name: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || Object.values(value).some((each) => typeof each !== "string")) {
    throw invalidParams(`"${name}" must be an object of strings`);
  }
  return value as Record<string, string>;
}
