import type { Scope } from "../keys/mod.ts";
import type { ContentBlock } from "../tools/mod.ts";
import type { Completion, CompletionQuery, ReadContext } from "../resources/mod.ts";

/** A prompt in `prompts/list` (MCP `Prompt`). */
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

/** Result of `prompts/get` (MCP `GetPromptResult`). */
export interface PromptResult {
  readonly description: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: ContentBlock }[];
}

/** All prompts that a user can start from a menu. */
export interface Prompts {
  readonly list: readonly PromptDescription[];
  /** Returns the narrowest scope whose keys may use a prompt. */
  scopeOf(name: string): Scope;
  /**
   * Fills in a prompt.
   *
   * @throws {PromptError} For an unknown prompt or invalid arguments.
   */
  get(name: string, args: Readonly<Record<string, string>>, context: ReadContext): Promise<PromptResult>;
  /** Completes an argument. Resolves to undefined for an unknown prompt or argument. */
  complete(name: string, query: CompletionQuery, context: ReadContext): Promise<Completion | undefined>;
}

/** An invalid `prompts/get` request. The message is written for the client. */
export class PromptError extends Error {
  override name = "PromptError";
}

/** One prompt, with the functions that fill it in. */
export interface Prompt {
  /** Scope of the tools that it asks the model to call. */
  readonly scope: Scope;
  readonly description: PromptDescription;
  /**
   * Returns the messages of the prompt.
   *
   * @param args Arguments from {@linkcode checkArguments}.
   * @throws {PromptError} For an argument that cannot be used.
   */
  fill(
    args: Readonly<Record<string, string | undefined>>,
    context: ReadContext,
  ): PromptResult["messages"] | Promise<PromptResult["messages"]>;
  /** Completions by argument; arguments without one are free text. */
  readonly completions: Readonly<
    Record<string, (query: CompletionQuery, context: ReadContext) => Completion | Promise<Completion>>
  >;
}

/** Returns a text message of the user. */
export function userText(...paragraphs: readonly string[]): PromptResult["messages"][number] {
  return { role: "user", content: { type: "text", text: paragraphs.join("\n\n") } };
}
