import {
  cleanTitle,
  frontMatterTags,
  loadFrontMatter,
  mayHaveFrontMatter,
  readFrontMatterSync,
} from "../../extraction/mod.ts";
import { sha256Of } from "../sha256.ts";
import { toTime } from "../times.ts";

/** A Markdown file of another program. */
export interface MarkdownNote {
  /** Text without front matter. */
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Title of the front matter. */
  readonly title: string | undefined;
  /** Tags of the front matter. */
  readonly tags: readonly string[];
  /** Creation time of the front matter. */
  readonly createdAt: string | undefined;
  /** SHA-256 of the file in hexadecimal. */
  readonly hash: string;
  readonly sizeBytes: number;
}

/** Fields with a creation time, in the order of preference. */
const CREATED_FIELDS = ["created", "created_at", "date created", "creation date", "date"];

/** Parses a Markdown file as the engine does with an upload. */
export async function parseNote(content: string): Promise<MarkdownNote> {
  const bytes = new TextEncoder().encode(content);
  const text = content.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (mayHaveFrontMatter(text)) await loadFrontMatter();
  const found = readFrontMatterSync(text);
  const metadata = found?.metadata ?? {};
  const times = CREATED_FIELDS.map((field) => toTime(metadata[field]));
  return {
    text: found ? found.body.replace(/^\s*\n/, "") : text,
    metadata,
    title: cleanTitle(metadata["title"]),
    tags: frontMatterTags(metadata),
    createdAt: times.find((time) => time !== undefined),
    hash: sha256Of(bytes),
    sizeBytes: bytes.length,
  };
}
