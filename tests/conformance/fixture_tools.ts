import { z } from "zod";
import {
  type ContentBlock,
  defineTool,
  type Tool,
  type ToolContext,
  ToolError,
} from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { IMAGE, SILENCE, text } from "./fixture_samples.ts";

/** Returns a tool without arguments that returns fixed content. */
function contentTool(
  name: string,
  content: readonly ContentBlock[],
  work: (context: ToolContext) => void | Promise<void> = () => {},
): Tool {
  return defineTool({
    name,
    title: name,
    description: `Test fixture of the conformance suite: ${name}.`,
    scope: "read",
    input: z.strictObject({}),
    output: z.object({ ok: z.boolean() }),
    annotations,
    run: async (_input, context) => {
      await work(context);
      return { ok: true };
    },
    content: () => content,
  }) as unknown as Tool;
}

/**
 * Delay between progress reports: the server sends at most ten per second (MCP, Progress: SHOULD limit their
 * rate).
 */
const PROGRESS_INTERVAL_MS = 150;

async function reportProgress({ report, signal }: ToolContext): Promise<void> {
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await new Promise((resolve) => setTimeout(resolve, PROGRESS_INTERVAL_MS));
    signal.throwIfAborted();
    report({ progress, total: 100, message: `Completed step ${progress} of 100` });
  }
}

/** A schema with keywords that our own tools do not use. The suite checks that they are preserved. */
const dialectTool = defineTool({
  name: "json_schema_2020_12_tool",
  title: "JSON Schema 2020-12",
  description: "Test fixture of the conformance suite: a schema with many keywords.",
  scope: "read",
  input: z.strictObject({
    name: z.string().optional(),
    address: z.unknown().meta({ $ref: "#/$defs/address" }).optional(),
    contactMethod: z.enum(["phone", "email"]).optional(),
    phone: z.string().optional(),
    email: z.string().optional(),
  }).meta({
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    then: { required: ["phone"] },
    else: { required: ["email"] },
  }),
  output: z.object({ ok: z.boolean() }),
  annotations,
  run: () => Promise.resolve({ ok: true }),
}) as unknown as Tool;

/** Tools that the suite requires. */
export const fixtureTools: readonly Tool[] = [
  contentTool("test_simple_text", [text("This is a simple text response for testing.")]),
  contentTool("test_image_content", [IMAGE]),
  contentTool("test_audio_content", [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }]),
  contentTool("test_embedded_resource", [{
    type: "resource",
    resource: {
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    },
  }]),
  contentTool("test_multiple_content_types", [text("Multiple content types test:"), IMAGE, {
    type: "resource",
    resource: {
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: JSON.stringify({ test: "data", value: 123 }),
    },
  }]),
  contentTool("test_error_handling", [], () => {
    throw new ToolError("This tool intentionally returns an error for testing");
  }),
  contentTool("test_tool_with_progress", [text("Done, in three steps.")], reportProgress),
  // The suite checks that the stream contains no elicitation request.
  contentTool("test_streaming_elicitation", [text("Done, in three steps.")], reportProgress),
  // Log messages are for the operator and must not reach a client.
  contentTool(
    "test_logging_tool",
    [text("Logged.")],
    ({ log }) => log.info("a line of the conformance fixture"),
  ),
  dialectTool,
];
