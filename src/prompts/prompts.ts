import { checkArguments } from "./check_arguments.ts";
import { PromptError, type Prompts } from "./define.ts";
import type { Prompt } from "./prompt.ts";
import { quoted } from "./quoted.ts";
import { remember } from "./remember.ts";
import { researchQuestion } from "./research_question.ts";
import { reviewMemory } from "./review_memory.ts";

const all: ReadonlyMap<string, Prompt> = new Map(
  [researchQuestion, remember, reviewMemory].map((prompt) => [prompt.description.name, prompt]),
);

/**
 * What a user can start from a menu: research a question, remember something, review the memory (MCP 2025-11-25 and
 * 2026-07-28, "Prompts"). Collections and topics are completed.
 */
export const prompts: Prompts = {
  list: [...all.values()].map(({ description }) => description),
  async get(name, args, context) {
    const prompt = all.get(name);
    if (!prompt) {
      throw new PromptError(`There is no prompt ${quoted(name)}. There are: ${[...all.keys()].join(", ")}.`);
    }
    const { description } = prompt;
    return {
      description: description.description,
      messages: await prompt.fill(checkArguments(description, args), context),
    };
  },
  async complete(name, query, context) {
    const prompt = all.get(name);
    if (!prompt?.description.arguments.some((argument) => argument.name === query.name)) return undefined;
    return await prompt.completions[query.name]?.(query, context) ?? { values: [] };
  },
};
