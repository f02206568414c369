import { gunzip } from "../archive/gunzip.ts";
import { countTarFiles, isTar, unpackTar } from "../archive/tar_reader.ts";
import { unpackZip } from "../archive/unpack_zip.ts";
import { fileTooLarge, tooManyFiles } from "../contained_files.ts";
import { damaged, ExtractionError, noText } from "../errors.ts";
import { startsWith } from "../signatures.ts";
import type { ContainedFile, ContainedFileLimits, ExtractionContext, SourceFile } from "../types.ts";

/** Bytes at the start of an unpacked gzip file that decide whether it is a TAR archive. */
const TAR_HEADER_BYTES = 512;

/** Passes the files of a ZIP, TAR or gzip archive to `onFile`. */
export async function extractArchive(file: SourceFile, context: ExtractionContext): Promise<null> {
  const { name, fileLimits: limits, onFile, onProgress } = context;
  if (!limits) throw notUnpacked(name);
  let done = 0;
  for await (const each of await unpack(file, { name, limits })) {
    await onFile(each);
    onProgress({ unit: "files", done: ++done });
  }
  if (done === 0) throw noText(name, "the archive holds no files", "upload the files themselves");
  return null;
}

interface UnpackOptions {
  readonly name: string;
  readonly limits: ContainedFileLimits;
}

async function unpack(
  file: SourceFile,
  options: UnpackOptions,
): Promise<AsyncIterable<ContainedFile> | Iterable<ContainedFile>> {
  const { bytes } = file;
  const { name, limits: { maxFiles } } = options;
  if (startsWith(bytes, "PK")) return unpackZip(file, options);
  if (!startsWith(bytes, "\x1f\x8b")) {
    // Before thousands of files are stored for nothing. The members of a compressed one are known only when unpacked.
    if (await countTarFiles(bytes, { name, max: maxFiles }) > maxFiles) throw tooManyFiles(name, maxFiles);
    return unpackTar([bytes], options);
  }
  const unpacked = damagedStream(gunzip(bytes), name);
  const { head, rest } = await peek(unpacked, TAR_HEADER_BYTES);
  return isTar(head) ? unpackTar(rest, options) : [await collect(rest, innerName(file.filename), options)];
}

/** Returns the start of a stream, and the whole stream again. */
async function peek(stream: AsyncGenerator<Uint8Array>, count: number) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length < count) {
    const { value, done } = await stream.next();
    if (done) break;
    parts.push(value.slice() as Uint8Array<ArrayBuffer>);
    length += value.length;
  }
  const head = new Uint8Array(await new Blob(parts).arrayBuffer());
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    yield* stream;
  };
  return { head, rest: rest() };
}

/** Returns the only file of a gzip file that is not a TAR archive. */
async function collect(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  { limits }: UnpackOptions,
): Promise<ContainedFile> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > limits.maxFileBytes) throw fileTooLarge(path, limits.maxFileBytes);
    parts.push(part.slice() as Uint8Array<ArrayBuffer>);
  }
  return { path, bytes: new Uint8Array(await new Blob(parts).arrayBuffer()) };
}

async function* damagedStream(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw damaged(name, "its archive is truncated or damaged", error);
  }
}

/** Returns the name of the file in `report.csv.gz`. */
function innerName(filename: string | undefined): string {
  return filename?.replace(/(?<=.)\.gz$/i, "") || "file";
}

function notUnpacked(name: string): ExtractionError {
  return new ExtractionError(
    "unsupported_type",
    `Cannot read ${name}: archives are unpacked when they are added or uploaded, not in the folder of a source, and ` +
      "inside of others to a depth of 2. Unpack it, or add it by itself with 'kb-mcp add'",
  );
}
