import type * as z from "zod";
import type { EngineClient } from "../client/mod.ts";
import type { Collections } from "../collections/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import type { Uploads } from "../uploads/mod.ts";

/** What a tool does to its world (MCP `ToolAnnotations`); all four are always said. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Who calls: the SHA-256 of the bearer token (hexadecimal), or `anonymous` when no key is set. */
export interface Caller {
  readonly id: string;
}

/** What a tool may use. Built once per server, but for `caller`, `signal`, `baseUrl` and `report`, which belong to one call. */
export interface ToolContext {
  readonly engine: EngineClient;
  readonly collections: Collections;
  readonly uploads: Uploads;
  readonly log: Logger;
  /** How long a tool waits for an ingestion job, in milliseconds (`KB_MCP_JOB_WAIT`). */
  readonly jobWaitMs: number;
  /** What this server says of itself in `kb_status`. */
  readonly server: () => ServerInfo;
  readonly caller: Caller;
  /** Aborts when the call is cancelled or the server gives up draining. */
  readonly signal: AbortSignal;
  /** Aborts when the server is about to stop: who waits answers what there is. */
  readonly draining: AbortSignal;
  /** Base URL under which the caller reached this server, without a trailing slash. */
  readonly baseUrl: string;
  /** Tells the caller how far the call is; heard only by one that asked for it. Costs nothing otherwise. */
  readonly report: (progress: Progress) => void;
}

/** How far a call is (MCP `notifications/progress`). */
export interface Progress {
  /** Grows with each report; one that does not is left out. */
  readonly progress: number;
  /** What `progress` is on the way to, when that is known. */
  readonly total?: number;
  /** For people: what is being done. */
  readonly message?: string;
}

/** A reference to something that `resources/read` answers (MCP `ResourceLink`). */
export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly mimeType?: string;
}

/** A part of what a tool answers (MCP `ContentBlock`). */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: { uri: string; mimeType?: string; text: string } }
  | ResourceLink;

/** This server's own part of `kb_status`. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  /** MCP protocol revisions spoken, newest first. */
  readonly protocol_versions: readonly string[];
  /** URL of the engine, or `embedded`. */
  readonly engine: string;
  readonly uptime_seconds: number;
}

/** One tool, with no knowledge of any MCP SDK or protocol revision. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it looks like in a list for people: SVG path data on a grid of 8 by 8, filled. A few bytes; all pay for them. */
  readonly icon?: string;
  /** Read by a model: what it does, when to use it, what to do next. */
  readonly description: string;
  /** A strict object: an argument that nobody knows is an error that names it. */
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** What a caller needs to be allowed. */
  readonly scope: "read" | "write";
  /**
   * Does the work.
   *
   * @throws {ToolError} For what the model did wrong and can put right.
   * @throws {EngineError} For what went wrong at the engine.
   */
  run(input: z.output<Input>, context: ToolContext): Promise<z.input<Output>>;
  /** What stands in `content` after the output's JSON: links to the resources that the output is about. */
  content?(output: z.input<Output>): readonly ContentBlock[];
}

/**
 * Declares a tool; infers the types of `run` from the schemas.
 *
 * @example
 * ```ts
 * import { defineTool } from "./define.ts";
 * import * as z from "zod";
 * const echo = defineTool({
 *   name: "echo",
 *   title: "Echo",
 *   description: "Answers what it was given.",
 *   input: z.strictObject({ text: z.string() }),
 *   output: z.object({ text: z.string() }),
 *   annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
 *   scope: "read",
 *   run: ({ text }) => Promise.resolve({ text }),
 * });
 * ```
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** A mistake in a tool call. The message goes to the model: what is wrong, and what to do instead. */
export class ToolError extends Error {
  override name = "ToolError";
}
