/**
 * The store's one writer: a thread that owns the writing connection, and the main thread's end of it.
 *
 * @module
 */
export {
  type ClaimedFile,
  type IngestedFile,
  type NewJob,
  type QueueState,
  StoreError,
  type WriteOperations,
} from "../../knowledge_base/operations.ts";
export type { EmbeddingState, Operation, WriterSettings } from "./protocol.ts";
export { Writer, type WriterOptions } from "./writer.ts";
export type { Upgrade } from "../store/open.ts";
