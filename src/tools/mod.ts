/**
 * The tools, one file each, independent of MCP SDKs.
 *
 * @module
 */
import type { Tool } from "./tool.ts";
import { kbAddNote } from "./kb_addnote.ts";
import { kbDelete } from "./kb_delete.ts";
import { kbEdit } from "./kb_edit.ts";
import { kbGet } from "./kb_get.ts";
import { kbHistory } from "./kb_history.ts";
import { kbJobs } from "./kb_jobs.ts";
import { kbList } from "./kb_list.ts";
import { kbRestore } from "./kb_restore.ts";
import { kbSearch } from "./kb_search.ts";
import { kbSetCollection } from "./kb_set_collection.ts";
import { kbStatus } from "./kb_status.ts";
import { kbUpdateNote } from "./kb_update_note.ts";
import { kbUploadChunk } from "./kb_upload_chunk.ts";
import { kbUploadFinish } from "./kb_upload_finish.ts";
import { kbUploadStart } from "./kb_upload_start.ts";

export {
  CallerTags,
  DocumentId,
  DocumentSourcePath,
  DocumentTitle,
  MAX_CALLER_TAGS,
  NoteText,
} from "./arguments.ts";
export { type FilterArguments, type RequestedFilters, toEngineFilters } from "./filter_arguments.ts";
export { filterCollections } from "./filter_collections.ts";
export { findByTitle, type FoundByTitle } from "./find_by_title.ts";
export type { DocumentGroup, ListPage, SendList } from "./list_page.ts";
export { type QueryOptions, sendToAnyEngine } from "./list_older_engine.ts";
export { type Move, type MovedDocument, moveDocument } from "./move_document.ts";
export { type Outline, type OutlineEntry, outlineOf } from "./outline.ts";
export { OutputId } from "./outputs.ts";
export { type EngineRecord, present, type Presented, withoutEmpty } from "../presentation/mod.ts";
export type { ChunkRange } from "./passages.ts";
export { isTime, type ResolvedRange, resolveTimes, type TimeRange } from "./relative_time.ts";
export { type HintedPage, resultHint } from "./result_hint.ts";
export { type SearchInput, toSearchRequest } from "./search_request.ts";
export { findByPath, syncFile } from "./source_file.ts";
export {
  type Caller,
  defineTool,
  type Progress,
  type ServerInfo,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
} from "./tool.ts";
export { describeError, errorCode, type FailedCall } from "./describe_errors.ts";
export type { ContentBlock, ResourceLink } from "./content_block.ts";
export { EncodedOutput } from "./encoded_output.ts";
export { describeInput } from "./describe_input.ts";
export { instructionsFor } from "./instructions.ts";
export { joinChunks, ownText } from "./join_chunks.ts";
export { type Arguments, parseArguments, type ParsedArguments } from "./parse_arguments.ts";
export { chunkUri, collectionUri, documentUri, SCHEME } from "./resource_uris.ts";

/** All tools in their listed order, which is stable because clients cache the list. */
export const tools: readonly Tool[] = [
  kbSearch,
  kbGet,
  kbList,
  kbAddNote,
  kbUpdateNote,
  kbEdit,
  kbUploadStart,
  kbUploadChunk,
  kbUploadFinish,
  kbSetCollection,
  kbDelete,
  kbHistory,
  kbRestore,
  kbJobs,
  kbStatus,
];
