import { serveThread, type ThreadChannel } from "../../../async/mod.ts";
import type { PackedDocument, TextDocument, TextFile } from "../../knowledge_base/mod.ts";
import { packDocument } from "../store/read_only.ts";
import { readTextFile } from "./read_text_file.ts";

/** A file to read, and whether its document is only passed to the writer. */
export interface ReadRequest {
  readonly file: TextFile;
  readonly isPacked: boolean;
}

/** Undefined: the thread cannot read the file. */
export type ReadResponse = TextDocument | PackedDocument | undefined;

/** Runs the thread that reads text files. */
export function serve(channel: ThreadChannel): void {
  serveThread(channel, () => ({
    async handle({ file, isPacked }: ReadRequest): Promise<ReadResponse> {
      const document = await readTextFile(file);
      return document && isPacked ? packDocument(document) : document;
    },
  }));
}
