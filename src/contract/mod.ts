/**
 * The engine's HTTP contract, v3: schemas, types and the route table, shared by client and engine.
 *
 * @module
 */
export * from "./actor.ts";
export * from "./document_edit.ts";
export * from "./document_list.ts";
export * from "./documents.ts";
export * from "./errors.ts";
export * from "./import.ts";
export * from "./jobs.ts";
export * from "./local_engine.ts";
export * from "./openapi.ts";
export * from "./primitives.ts";
export * from "./revisions.ts";
export * from "./routes.ts";
export * from "./rules/mod.ts";
export * from "./search.ts";
export * from "./similar_notes.ts";
export * from "./sources.ts";
export * from "./status.ts";
