import { present, withoutEmpty, withVisibleText } from "../presentation/mod.ts";
import type { RevisionPage, TrashPage } from "../contract/mod.ts";

/** Presents the former versions of a document: what differs between them, and who changed it when. */
export function presentRevisions({ revisions, title, ...page }: RevisionPage) {
  return {
    ...withoutEmpty(withVisibleText({ ...page, title })),
    // The size of a version decides nothing, and its title only if it has changed.
    revisions: revisions.map(({ size_bytes: _, chunk_count: __, ...revision }) =>
      present({ ...revision, title: revision.title === title ? null : revision.title })
    ),
  };
}

/** Presents deleted documents. */
export function presentTrash({ documents, ...page }: TrashPage) {
  return {
    ...withoutEmpty(withVisibleText(page)),
    deleted: documents.map((
      { size_bytes: _, chunk_count: __, created_at: ___, updated_at: ____, ...document },
    ) => present(document)),
  };
}
