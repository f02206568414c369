/**
 * Resources that clients read by URI, independent of any MCP SDK.
 *
 * @module
 */
export { completeCollection, completeTitle } from "./complete_names.ts";
export {
  type Completion,
  type CompletionQuery,
  type ReadContext,
  type ReadResult,
  type ResourceContents,
  type ResourceDescription,
  ResourceNotFoundError,
  type Resources,
  type ResourceTemplateDescription,
} from "./define.ts";
export { fenced } from "./markdown.ts";
export { resources } from "./resources.ts";
