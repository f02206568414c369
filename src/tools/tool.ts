import type * as z from "zod";
import type { EngineClient } from "../client/mod.ts";
import type { Collections } from "../collections/mod.ts";
import type { Scope } from "../keys/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import type { Uploads } from "../uploads/mod.ts";
import type { ContentBlock } from "./content_block.ts";
import type { EncodedOutput } from "./encoded_output.ts";

/** Hints about a tool's behavior (MCP `ToolAnnotations`). All four are always present. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Caller of a tool. */
export interface Caller {
  /** SHA-256 of its bearer token in hexadecimal, or `anonymous` without authentication. */
  readonly id: string;
  /** Scope of its key; without authentication, the widest. */
  readonly scope: Scope;
  /** Name of its key; undefined on a server without named keys. */
  readonly key?: string | undefined;
  /**
   * Author of its changes, for display only: the name of its key, and the name that the client gives itself, which
   * anyone can claim.
   */
  readonly name?: string | undefined;
}

/**
 * Dependencies of a tool. `caller`, `signal`, `baseUrl` and `report` belong to one call, the others to the
 * server.
 */
export interface ToolContext {
  readonly engine: EngineClient;
  readonly collections: Collections;
  readonly uploads: Uploads;
  readonly log: Logger;
  /** Maximum time to wait for an ingestion job in milliseconds (`KB_MCP_JOB_WAIT`). */
  readonly jobWaitMs: number;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns this server's part of `kb_status`. */
  readonly server: () => ServerInfo;
  /** All tools of this server. */
  readonly tools: readonly Tool[];
  readonly caller: Caller;
  /** Aborts when the call is cancelled or the server stops. */
  readonly signal: AbortSignal;
  /** Aborts when the server starts to shut down: tools that wait return what they have. */
  readonly draining: AbortSignal;
  /** URL of this server as the caller reached it, without a trailing slash. */
  readonly baseUrl: string;
  /** Sends progress to a caller that requested it. */
  readonly report: (progress: Progress) => void;
}

/** Progress of a call (MCP `notifications/progress`). */
export interface Progress {
  /** Increases with each report; others are dropped. */
  readonly progress: number;
  /** Value of `progress` at the end, if known. */
  readonly total?: number;
  /** Current step, for people. */
  readonly message?: string;
}

/** This server's part of `kb_status`. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  /** Supported MCP protocol versions, newest first. */
  readonly protocol_versions: readonly string[];
  /** URL of the engine, or `embedded`. */
  readonly engine: string;
  readonly uptime_seconds: number;
}

/** A tool, independent of MCP SDKs and protocol versions. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For models: the action, when to use it, and what to do next. */
  readonly description: string;
  /** Narrowest scope whose keys may call it. */
  readonly scope: Scope;
  /** Arguments that need a wider scope than the tool, unless their value is `false`. */
  readonly argumentScopes?: Readonly<Record<string, Scope>>;
  /** First version of the engine's contract that has what the tool needs. Default: every engine has it. */
  readonly engineVersion?: string;
  /** A strict object, so that an unknown argument is an error. */
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /**
   * Runs the tool.
   *
   * @throws {ToolError} For a mistake that the model can correct.
   * @throws {EngineError} If the engine call fails.
   */
  run(
    input: z.output<Input>,
    context: ToolContext,
  ): Promise<z.input<Output> | EncodedOutput<z.input<Output>>>;
  /** Returns content that follows the output's JSON, such as links to its documents. Not called for an encoded output. */
  content?(output: z.input<Output>): readonly ContentBlock[];
}

/**
 * Declares a tool, with the types of `run` inferred from the schemas.
 *
 * @example
 * ```ts
 * import { defineTool } from "./tool.ts";
 * import * as z from "zod";
 * const echo = defineTool({
 *   name: "echo",
 *   title: "Echo",
 *   description: "Return the given text.",
 *   scope: "read",
 *   input: z.strictObject({ text: z.string() }),
 *   output: z.object({ text: z.string() }),
 *   annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
 *   run: ({ text }) => Promise.resolve({ text }),
 * });
 * ```
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** A mistake in a tool call. The message is for the model: what is wrong, and what to do instead. */
export class ToolError extends Error {
  override name = "ToolError";
}
