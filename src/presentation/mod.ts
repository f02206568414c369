/**
 * Records of an engine as models read them. Pure; without zod, which search threads do not load.
 *
 * @module
 */
export { type NameableDocument, type NamedDocument, nameDocuments } from "./named_documents.ts";
export { type EngineRecord, isEmpty, present, type Presented, presentJob, withoutEmpty } from "./records.ts";
export { encodeSearchPage, type PresentedResult, presentResults, type SearchPage } from "./search_page.ts";
export { withVisibleText } from "./visible_values.ts";
