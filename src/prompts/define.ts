import type { ContentBlock } from "../tools/mod.ts";
import type { Completion, CompletionQuery, ReadContext } from "../resources/mod.ts";

/** A prompt as `prompts/list` describes it (MCP `Prompt`). */
export interface PromptDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

/** An argument of a prompt (MCP `PromptArgument`). */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly required: boolean;
}

/** What `prompts/get` answers (MCP `GetPromptResult`). */
export interface PromptResult {
  readonly description: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: ContentBlock }[];
}

/** Everything that a user can start from a menu. */
export interface Prompts {
  readonly list: readonly PromptDescription[];
  /**
   * Fills one in.
   *
   * @throws {PromptError} When there is no such prompt, or its arguments are wrong.
   */
  get(name: string, args: Readonly<Record<string, string>>, context: ReadContext): Promise<PromptResult>;
  /** Completes an argument; resolves to undefined when there is no such prompt or argument. */
  complete(name: string, query: CompletionQuery, context: ReadContext): Promise<Completion | undefined>;
}

/** A mistake in `prompts/get`. The message goes to the client. */
export class PromptError extends Error {
  override name = "PromptError";
}
