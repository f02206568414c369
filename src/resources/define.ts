import type { ToolContext } from "../tools/mod.ts";

/** What a resource, a prompt or a completion may use. */
export type ReadContext = Pick<
  ToolContext,
  "engine" | "collections" | "uploads" | "log" | "server" | "caller" | "signal"
>;

/** A resource as `resources/list` describes it (MCP `Resource`). */
export interface ResourceDescription {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** A family of resources as `resources/templates/list` describes it (MCP `ResourceTemplate`). */
export interface ResourceTemplateDescription extends Omit<ResourceDescription, "uri"> {
  /** RFC 6570, level 1. */
  readonly uriTemplate: string;
}

/** What `resources/read` answers (MCP `TextResourceContents`, `BlobResourceContents`). */
export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** What is read, and how long it may be kept. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  /** How long a client may take it for fresh, in milliseconds (MCP 2026-07-28, `ttlMs`). */
  readonly ttlMs: number;
}

/** What a client may fill in (MCP `CompleteResult.completion`). */
export interface Completion {
  /** At most 100, best first. */
  readonly values: readonly string[];
  /** How many there are in all, when that is known. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** The argument that is being filled in, and the others as far as they are. */
export interface CompletionQuery {
  readonly name: string;
  readonly value: string;
  readonly others: Readonly<Record<string, string>>;
}

/** Everything that can be read by URI. */
export interface Resources {
  list(context: Pick<ReadContext, "collections">): readonly ResourceDescription[];
  readonly templates: readonly ResourceTemplateDescription[];
  /**
   * Reads one.
   *
   * @throws {ResourceNotFoundError} When there is none at the URI.
   * @throws {EngineError} For what went wrong at the engine.
   */
  read(uri: string, context: ReadContext): Promise<ReadResult>;
  /**
   * Completes a variable of a template; resolves to undefined when there is no such template or variable.
   *
   * @param uriTemplate As listed.
   */
  complete(
    uriTemplate: string,
    query: CompletionQuery,
    context: ReadContext,
  ): Promise<Completion | undefined>;
}

/** There is no resource at a URI. The message goes to the client. */
export class ResourceNotFoundError extends Error {
  override name = "ResourceNotFoundError";
  constructor(readonly uri: string, message: string) {
    super(message);
  }
}
