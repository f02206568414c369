import { serveThread, type ThreadChannel } from "../../../async/mod.ts";
import type { TextFile } from "../../knowledge_base/mod.ts";
import { readTextFile } from "./read_text_file.ts";

/** Runs the thread that reads text files. */
export function serve(channel: ThreadChannel): void {
  serveThread(channel, () => ({ handle: (file: TextFile) => readTextFile(file) }));
}
