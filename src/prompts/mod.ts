/**
 * What a user can start from a menu, with no knowledge of any MCP SDK.
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
