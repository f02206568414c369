/**
 * The single writer of the store: a thread with the writing connection, and its client.
 *
 * @module
 */
export type { EmbeddingState, WriterSettings } from "./protocol.ts";
export { type DocumentModel, Writer, type WriterOptions } from "./writer.ts";
