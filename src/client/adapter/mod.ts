/**
 * Adapts any engine to contract v3, so that nothing above the client knows about third-party engines.
 *
 * | difference | handled in |
 * |---|---|
 * | other names for ids, listings and texts; missing tags | `normalize.ts` |
 * | FastAPI errors, and contract 3.0's 403 for a host name | `error_body.ts` |
 * | ignored numbers of results, search filters, modes, details, cursors and token budgets | `search.ts` |
 * | all chunks returned for every page | `chunk_page.ts` |
 * | `remove_prefix` of a tag change ignored | `tags.ts` |
 * | form fields of contract 3.3 rejected | `create_job.ts` |
 * | a version below 3.0.0: rejected | `version.ts` |
 *
 * @module
 */
export type { CallParameters } from "../engine_call.ts";
export { JobSubmitter, type NewJobField, type SubmittedJob } from "./create_job.ts";
export { hasContractVersion } from "./version.ts";
export { EngineAdapter } from "./engine_adapter.ts";
export type { RouteResult } from "./parse_response.ts";
