/**
 * Background loops, delays, concurrent work, circuit breaking and threads.
 *
 * @module
 */
export { CircuitBreaker } from "./circuit_breaker.ts";
export { CoarseTimers } from "./coarse_timers.ts";
export { delay } from "./delay.ts";
export { EarlyThread } from "./early_thread.ts";
export { type ConcurrencyOptions, mapConcurrent } from "./map_concurrent.ts";
export { Pump } from "./pump.ts";
export type { RequestOptions } from "./request_queue.ts";
export { type IdleOptions, runWhileIdle } from "./run_while_idle.ts";
export { type OpenService, serveThread, type ThreadService } from "./serve_thread.ts";
export { serveServices, SharedThread } from "./shared_thread.ts";
export {
  type CloseOptions,
  ThreadClient,
  type ThreadClientOptions,
  ThreadError,
  type ThreadState,
} from "./thread_client.ts";
export { hasThreadPriorities, lowerThreadPriority } from "./thread_priority.ts";
export {
  type ThreadChannel,
  type ThreadPort,
  webWorkerPort,
  type WorkerScope,
  workerScopeChannel,
} from "./thread_port.ts";
export { RemoteError, type SerializedError, serializeError } from "./thread_protocol.ts";
