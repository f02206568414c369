import { quoteText } from "../text/mod.ts";
import { checkArguments } from "./arguments.ts";
import { type Prompt, PromptError, type Prompts } from "./define.ts";
import { remember } from "./remember.ts";
import { researchQuestion } from "./research_question.ts";
import { reviewMemory } from "./review_memory.ts";

const promptsByName: ReadonlyMap<string, Prompt> = new Map(
  [researchQuestion, remember, reviewMemory].map((prompt) => [prompt.description.name, prompt]),
);

/**
 * Prompts that a user starts from a menu: research a question, remember something, review the memory (MCP
 * 2025-11-25 and 2026-07-28, "Prompts"). Collections and topics can be completed.
 */
export const prompts: Prompts = {
  list: [...promptsByName.values()].map(({ description }) => description),
  scopeOf: (name) => promptsByName.get(name)?.scope ?? "read",
  async get(name, args, context) {
    const prompt = promptsByName.get(name);
    if (!prompt) {
      const names = [...promptsByName.keys()].join(", ");
      throw new PromptError(`There is no prompt ${quoteText(name)}. Prompts: ${names}.`);
    }
    const { description } = prompt;
    return {
      description: description.description,
      messages: await prompt.fill(checkArguments(description, args), context),
    };
  },
  async complete(name, query, context) {
    const prompt = promptsByName.get(name);
    if (!prompt?.description.arguments.some((argument) => argument.name === query.name)) return undefined;
    return await prompt.completions[query.name]?.(query, context) ?? { values: [] };
  },
};
