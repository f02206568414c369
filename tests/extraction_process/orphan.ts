/**
 * Starts an extraction process, sends it a file on which its parser loops, prints its id and kills itself.
 *
 * @module
 */
import { extractionCommand, ExtractionProcess } from "../../src/extraction_process/mod.ts";
import { loopingPdf } from "../support/hostile_files.ts";

const process = new ExtractionProcess(await extractionCommand({ maxMemoryBytes: 2 ** 40 }));
await process.start();
const file = loopingPdf();
const content = { bytes: ReadableStream.from([file]), sizeBytes: file.byteLength };
void process.extract({ filename: "a.pdf", chunk: { maxTokens: 320, overlapTokens: 48 } }, content);
// The whole file has to be in the pipe, so that the parser starts.
await new Promise((resolve) => setTimeout(resolve, 500));
Deno.stdout.writeSync(new TextEncoder().encode(String(process.pid)));
Deno.kill(Deno.pid, "SIGKILL");
