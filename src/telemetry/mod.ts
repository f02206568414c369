/**
 * Logging: one line per event, to standard error, never with a secret in it.
 *
 * @module
 */
export { createLogger, type Fields, type Logger, type LogLevel, silentLogger } from "./log.ts";
