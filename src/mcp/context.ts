import type { Scope } from "../keys/mod.ts";
import type { Prompts } from "../prompts/mod.ts";
import type { Resources } from "../resources/mod.ts";
import type { Tool, ToolContext } from "../tools/mod.ts";

/** Identity and features of an MCP server. */
export interface ServerDescription {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** For people who choose a server. */
  readonly description: string;
  /** SVG path data on an 8 × 8 grid (`d` attribute, SVG 2 §9.3), such as `M3 0h2v8H3z`. */
  readonly icon: string;
  /** Returns for the model how to use this server with a key of a scope. */
  readonly instructions: (scope: Scope) => string;
  readonly tools: readonly Tool[];
  /**
   * Whether results of tools link to documents, in protocol versions with `resource_link`. Frameworks such as LangChain
   * make a link a file, whose URI the model's provider refuses. Default: false.
   */
  readonly resourceLinks?: boolean;
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/** Returns the server's `Implementation` object (MCP, `initialize` and `server/discover`). */
export function serverInfoOf({ name, title, version, description, icon }: ServerDescription) {
  return { name, title, version, description, icons: [{ src: iconUri(icon) }] };
}

/** Returns an SVG as a `data:` URI, in a colour that is visible on light and dark backgrounds. */
function iconUri(path: string): string {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="tan" d="${path}"/></svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}

/** The part of the tool context that all requests share. */
export type SharedContext = Omit<ToolContext, "caller" | "baseUrl" | "signal" | "report" | "tools">;

/** The HTTP request that carries a message. */
export interface RequestContext extends Pick<ToolContext, "caller" | "baseUrl"> {
  readonly headers: Pick<Headers, "get">;
  /**
   * Starts to watch the client's connection.
   *
   * @returns Stops watching.
   */
  readonly watchClient: (watcher: ClientWatcher) => () => void;
  /**
   * Reserves memory for a large response, until its body has been sent. Returns false if there is none.
   *
   * @param bytes Approximate size.
   */
  readonly reserveMemory: (bytes: number) => boolean;
}

/** Callbacks of {@linkcode RequestContext.watchClient}. */
export interface ClientWatcher {
  /** The client disconnected. */
  onDisconnect(): void;
  /** The request is slow: a response that begins now lets the runtime notice a disconnect. */
  onSlow(): void;
}
