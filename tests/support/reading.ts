import { ResourceNotFoundError, resources } from "../../src/resources/mod.ts";
import { assertRejects } from "@std/assert";
import type { Harness } from "./harness.ts";

/** The Markdown at a URI. */
export async function readMarkdown(kb: Harness, uri: string): Promise<string> {
  const { contents: [content] } = await resources.read(uri, kb.context);
  if (!content || !("text" in content) || content.mimeType !== "text/markdown" || content.uri !== uri) {
    throw new Error(`Not one Markdown text at its own URI: ${JSON.stringify(content)}`);
  }
  return content.text;
}

/** What reading a URI that has no resource says. */
export async function refusalOf(kb: Harness, uri: string): Promise<string> {
  return (await assertRejects(() => resources.read(uri, kb.context), ResourceNotFoundError)).message;
}

/** Values that complete a variable. */
export async function completeValues(
  kb: Harness,
  uriTemplate: string,
  name: string,
  value: string,
  others: Record<string, string> = {},
): Promise<readonly string[] | undefined> {
  return (await resources.complete(uriTemplate, { name, value, others }, kb.context))?.values;
}
