import type { Prompts } from "../prompts/mod.ts";
import type { Resources } from "../resources/mod.ts";
import type { Tool, ToolContext } from "../tools/mod.ts";

/** What a server says of itself and can do. */
export interface ServerDescription {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** For the model: how to use this server well. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/** What all calls of a server share. */
export type SharedContext = Omit<ToolContext, "caller" | "baseUrl" | "signal" | "report">;

/** What one HTTP request adds to the context that all calls share. */
export interface CallContext extends Pick<ToolContext, "caller" | "baseUrl"> {
  /** The headers of the request. */
  readonly headers: Pick<Headers, "get">;
  /**
   * Tells when the client goes away before it was answered.
   *
   * @returns Stops it.
   */
  readonly onDisconnect: (listener: () => void) => () => void;
}
