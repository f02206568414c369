/**
 * The single writer of the store: a thread that owns the writing connection, and its client on the main thread.
 *
 * @module
 */
export type { EmbeddingState, WriterSettings } from "./protocol.ts";
export { Writer, type WriterOptions } from "./writer.ts";
