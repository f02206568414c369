/**
 * Prompts that a user starts from a menu, independent of any MCP SDK.
 *
 * @module
 */
export {
  type PromptArgument,
  type PromptDescription,
  PromptError,
  type PromptResult,
  type Prompts,
} from "./define.ts";
export { prompts } from "./prompts.ts";
