import type { EngineClient } from "../../client/mod.ts";
import type { Collections } from "../../collections/mod.ts";
import type { Output } from "./output.ts";

/** Name under which the commands make changes, for the history of a document. */
export const ACTOR = "kb-mcp";

/** Dependencies of a command that uses an engine. */
export interface ClientContext {
  readonly client: EngineClient;
  /** URL of the engine, or its data directory. */
  readonly engineName: string;
  /** The collections of the configuration. */
  readonly collections: Collections;
  readonly output: Output;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Asks a yes-or-no question. Undefined: there is no terminal. */
  readonly confirm: ((question: string) => boolean) | undefined;
  /** Aborts when the user stops the command. */
  readonly signal: AbortSignal;
}
