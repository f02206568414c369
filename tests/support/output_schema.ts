import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { listTools } from "../../src/mcp/tool_list.ts";
import type { Tool } from "../../src/tools/mod.ts";

const ajv = new AjvJsonSchemaValidator();
const validators = new Map<
  string,
  (output: unknown) => { valid: boolean; errorMessage?: string | undefined }
>();

/**
 * Fails unless a tool's output matches its listed `outputSchema`, with the validator that MCP clients apply
 * to `structuredContent`.
 */
export function checkStructuredContent(tool: Pick<Tool, "name">, output: unknown): void {
  let validate = validators.get(tool.name);
  if (!validate) {
    const [listed] = listTools([tool as Tool]).tools;
    validate = ajv.getValidator(listed!.outputSchema);
    validators.set(tool.name, validate);
  }
  const { valid, errorMessage } = validate(output);
  if (!valid) throw new Error(`${tool.name}: the output does not match outputSchema: ${errorMessage}`);
}
