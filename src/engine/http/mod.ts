/**
 * The engine's HTTP API: routes, parsing, errors.
 *
 * @module
 */
export { Front, type FrontOptions } from "./front.ts";
