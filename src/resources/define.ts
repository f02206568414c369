import type { ToolContext } from "../tools/mod.ts";

/** Context of a resource, a prompt or a completion. */
export type ReadContext = Pick<
  ToolContext,
  "engine" | "collections" | "uploads" | "log" | "server" | "caller" | "signal"
>;

/** A resource in `resources/list` (MCP `Resource`). */
export interface ResourceDescription {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A family of resources in `resources/templates/list` (MCP `ResourceTemplate`). */
export interface ResourceTemplateDescription extends Omit<ResourceDescription, "uri"> {
  /** RFC 6570, level 1. */
  readonly uriTemplate: string;
}

/** Contents of a resource (MCP `TextResourceContents`, `BlobResourceContents`). */
export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** Result of `resources/read`. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  /** Time for which a client may cache the contents, in milliseconds (MCP 2026-07-28, `ttlMs`). */
  readonly ttlMs: number;
}

/** Suggestions for an argument (MCP `CompleteResult.completion`). */
export interface Completion {
  /** At most 100 values, best match first. */
  readonly values: readonly string[];
  /** Total number of matches, if known. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** The argument to complete, with the values of the other arguments so far. */
export interface CompletionQuery {
  readonly name: string;
  readonly value: string;
  readonly others: Readonly<Record<string, string>>;
}

/** All resources of the knowledge base. */
export interface Resources {
  list(context: Pick<ReadContext, "collections">): readonly ResourceDescription[];
  readonly templates: readonly ResourceTemplateDescription[];
  /**
   * Reads a resource.
   *
   * @throws {ResourceNotFoundError} When there is no resource at the URI.
   * @throws {EngineError} When the engine call fails.
   */
  read(uri: string, context: ReadContext): Promise<ReadResult>;
  /**
   * Completes a variable of a template. Resolves to undefined for an unknown template or variable.
   *
   * @param uriTemplate A template as listed.
   */
  complete(
    uriTemplate: string,
    query: CompletionQuery,
    context: ReadContext,
  ): Promise<Completion | undefined>;
}

/** There is no resource at a URI. The message is written for the client. */
export class ResourceNotFoundError extends Error {
  override name = "ResourceNotFoundError";
  constructor(readonly uri: string, message: string) {
    super(message);
  }
}
