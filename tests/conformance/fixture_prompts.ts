import {
  type PromptDescription,
  PromptError,
  type PromptResult,
  type Prompts,
} from "../../src/prompts/mod.ts";
import type { ContentBlock } from "../../src/tools/mod.ts";
import { IMAGE, text } from "./fixture_samples.ts";

interface Fixture {
  /** Names of its arguments, all of them required. */
  readonly takes: readonly string[];
  readonly says: (args: Readonly<Record<string, string>>) => readonly ContentBlock[];
}

const fixtures: ReadonlyMap<string, Fixture> = new Map<string, Fixture>([
  ["test_simple_prompt", { takes: [], says: () => [text("This is a simple prompt for testing.")] }],
  ["test_prompt_with_arguments", {
    takes: ["arg1", "arg2"],
    says: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }],
  ["test_prompt_with_embedded_resource", {
    takes: ["resourceUri"],
    says: ({ resourceUri: uri = "" }) => [
      {
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
      text("Please process the embedded resource above."),
    ],
  }],
  ["test_prompt_with_image", { takes: [], says: () => [IMAGE, text("Please analyze the image above.")] }],
]);

function describe(name: string, { takes }: Fixture): PromptDescription {
  const description = "Test fixture of the conformance suite.";
  return {
    name,
    title: name,
    description,
    arguments: takes.map((name) => ({ name, description, required: true })),
  };
}

function fill(name: string, args: Readonly<Record<string, string>>): PromptResult {
  const fixture = fixtures.get(name);
  if (!fixture) throw new PromptError(`Unknown prompt: ${name}`);
  const messages = fixture.says(args).map((content) => ({ role: "user" as const, content }));
  return { description: "Test fixture of the conformance suite.", messages };
}

/** The prompts that the suite asks for. */
export const fixturePrompts: Prompts = {
  list: [...fixtures].map(([name, fixture]) => describe(name, fixture)),
  // deno-lint-ignore require-await -- what it throws must come as a rejection
  get: async (name, args) => fill(name, args),
  complete: (name, query) => {
    const known = fixtures.get(name)?.takes.includes(query.name);
    return Promise.resolve(known ? { values: ["testValue1"], total: 1, hasMore: false } : undefined);
  },
};
