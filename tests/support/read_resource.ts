import { ResourceNotFoundError, resources } from "../../src/resources/mod.ts";
import { assertRejects } from "@std/assert";
import type { Harness } from "./harness.ts";

/** Reads the Markdown at a URI. */
export async function readMarkdown(kb: Harness, uri: string): Promise<string> {
  const { contents: [content] } = await resources.read(uri, kb.context);
  if (!content || !("text" in content) || content.mimeType !== "text/markdown" || content.uri !== uri) {
    throw new Error(`Expected one Markdown text with the URI that was read, got ${JSON.stringify(content)}`);
  }
  return content.text;
}

/** Returns the error message for a URI without a resource. */
export async function readError(kb: Harness, uri: string): Promise<string> {
  return (await assertRejects(() => resources.read(uri, kb.context), ResourceNotFoundError)).message;
}

/** Returns the values that complete a variable of a template. */
export async function completeValues(
  kb: Harness,
  uriTemplate: string,
  name: string,
  value: string,
  others: Record<string, string> = {},
): Promise<readonly string[] | undefined> {
  return (await resources.complete(uriTemplate, { name, value, others }, kb.context))?.values;
}
