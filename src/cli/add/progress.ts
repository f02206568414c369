import { MultiBar, type SingleBar } from "cli-progress";
import { oneLine } from "../../text/mod.ts";
import { mebibytes } from "../format.ts";

/** Shows how far the files are. Dispose of it before anything else is printed. */
export interface AddProgress extends Disposable {
  /** Shows what happens to a file that takes long. */
  describe(name: string, step: string): void;
  /** Counts a file as done. */
  advance(name: string, bytes: number): void;
}

/** Shows nothing. */
export const noProgress: AddProgress = { describe() {}, advance() {}, [Symbol.dispose]() {} };

/** Maximum length of a path next to the bar, in characters. */
const MAX_NAME_CHARS = 40;

/** Shows a bar over the files and one over their bytes, on standard error. */
export function createProgress(files: number, bytes: number): AddProgress {
  const bars = new MultiBar({
    format: "{label} [{bar}] {percentage}% {done} of {all} {name}",
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    barsize: 24,
    fps: 8,
  });
  const create = (label: string, all: string): SingleBar =>
    bars.create(1, 0, { label, all, done: "0", name: "" });
  const fileBar = create("files", String(files));
  const byteBar = create("bytes", mebibytes(bytes));
  let [doneFiles, doneBytes] = [0, 0];
  return {
    describe(name, step) {
      fileBar.update({ name: `${shorten(name)} (${step})` });
    },
    advance(name, size) {
      doneFiles++;
      doneBytes += size;
      fileBar.update(share(doneFiles, files), { done: String(doneFiles), name: shorten(name) });
      byteBar.update(share(doneBytes, bytes), { done: mebibytes(doneBytes) });
    },
    [Symbol.dispose]() {
      bars.stop();
    },
  };
}

/** Cuts the start of a long path. */
function shorten(path: string): string {
  const shown = oneLine(path);
  return shown.length > MAX_NAME_CHARS ? `…${shown.slice(1 - MAX_NAME_CHARS)}` : shown;
}

function share(done: number, all: number): number {
  return all === 0 ? 1 : Math.min(1, done / all);
}
