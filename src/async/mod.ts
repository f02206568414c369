/**
 * Background loops, delays and circuit breaking.
 *
 * @module
 */
export { CircuitBreaker } from "./circuit_breaker.ts";
export { pause, Pump } from "./pump.ts";
