import type { Completion, CompletionQuery, ReadContext } from "../resources/mod.ts";
import type { PromptDescription, PromptResult } from "./define.ts";

/** The arguments of a prompt, checked: trimmed, known, none of them empty. */
export type PromptArguments = Readonly<Record<string, string | undefined>>;

/** One prompt: what a client sees of it, and how it is filled in. */
export interface Prompt {
  readonly description: PromptDescription;
  /** @throws {PromptError} For an argument that cannot be used. */
  fill(
    args: PromptArguments,
    context: ReadContext,
  ): PromptResult["messages"] | Promise<PromptResult["messages"]>;
  /** What completes an argument; one that is not here is free text. */
  readonly completions: Readonly<
    Record<string, (query: CompletionQuery, context: ReadContext) => Completion | Promise<Completion>>
  >;
}

/** A message of the user's that is text. */
export function userText(...paragraphs: readonly string[]): PromptResult["messages"][number] {
  return { role: "user", content: { type: "text", text: paragraphs.join("\n\n") } };
}
