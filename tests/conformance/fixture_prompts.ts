import {
  type PromptDescription,
  PromptError,
  type PromptResult,
  type Prompts,
} from "../../src/prompts/mod.ts";
import type { ContentBlock } from "../../src/tools/mod.ts";
import { IMAGE, text } from "./fixture_samples.ts";

interface Fixture {
  /** Names of the arguments, all of them required. */
  readonly args: readonly string[];
  readonly contents: (args: Readonly<Record<string, string>>) => readonly ContentBlock[];
}

const fixtures: ReadonlyMap<string, Fixture> = new Map<string, Fixture>([
  ["test_simple_prompt", { args: [], contents: () => [text("This is a simple prompt for testing.")] }],
  ["test_prompt_with_arguments", {
    args: ["arg1", "arg2"],
    contents: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }],
  ["test_prompt_with_embedded_resource", {
    args: ["resourceUri"],
    contents: ({ resourceUri: uri = "" }) => [
      {
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
      text("Please process the embedded resource above."),
    ],
  }],
  ["test_prompt_with_image", { args: [], contents: () => [IMAGE, text("Please analyze the image above.")] }],
]);

function describe(name: string, { args }: Fixture): PromptDescription {
  const description = "Test fixture of the conformance suite.";
  return {
    name,
    title: name,
    description,
    arguments: args.map((name) => ({ name, description, required: true })),
  };
}

function fill(name: string, args: Readonly<Record<string, string>>): PromptResult {
  const fixture = fixtures.get(name);
  if (!fixture) throw new PromptError(`Unknown prompt: ${name}`);
  const messages = fixture.contents(args).map((content) => ({ role: "user" as const, content }));
  return { description: "Test fixture of the conformance suite.", messages };
}

/** Prompts that the suite requires. */
export const fixturePrompts: Prompts = {
  list: [...fixtures].map(([name, fixture]) => describe(name, fixture)),
  scopeOf: () => "read",
  // deno-lint-ignore require-await -- errors must become rejections
  get: async (name, args) => fill(name, args),
  complete: (name, query) => {
    const known = fixtures.get(name)?.args.includes(query.name);
    return Promise.resolve(known ? { values: ["testValue1"], total: 1, hasMore: false } : undefined);
  },
};
