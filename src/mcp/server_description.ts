import type { Prompts } from "../prompts/mod.ts";
import type { Resources } from "../resources/mod.ts";
import type { Tool, ToolContext } from "../tools/mod.ts";
import { iconOf } from "./icon.ts";

/** What a server says of itself and can do. */
export interface ServerDescription {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** For people who choose among servers. */
  readonly description: string;
  /** SVG path data, on the grid of the tools' icons. */
  readonly icon: string;
  /** For the model: how to use this server well. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/** What a server says of itself to a client that meets it (MCP, `Implementation`). */
export function serverInfoOf({ name, title, version, description, icon }: ServerDescription) {
  return { name, title, version, description, icons: [iconOf(icon)] };
}

/** What all calls of a server share. */
export type SharedContext = Omit<ToolContext, "caller" | "baseUrl" | "signal" | "report">;

/** What one HTTP request adds to the context that all calls share. */
export interface CallContext extends Pick<ToolContext, "caller" | "baseUrl"> {
  /** The headers of the request. */
  readonly headers: Pick<Headers, "get">;
  /**
   * Watches whether the client is still there, until it is stopped.
   *
   * @returns Stops it.
   */
  readonly watchClient: (watcher: ClientWatcher) => () => void;
}

/** Who wants to know of a client that goes away. */
export interface ClientWatcher {
  /** It went away. */
  disconnected(): void;
  /** The call takes long: its answer should begin now if it can, because then a disconnect is noticed for sure. */
  begin(): void;
}
