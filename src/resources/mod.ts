/**
 * What can be read by URI, with no knowledge of any MCP SDK.
 *
 * @module
 */
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
