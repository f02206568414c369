/**
 * The thread that reads small text files and computes their index, so that the writer only writes.
 *
 * @module
 */
export { TextReader, type TextReaderOptions } from "./text_reader.ts";
