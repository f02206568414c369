import { basename } from "node:path";
import { download } from "./download.ts";
import { ModelError } from "./errors.ts";
import type { InstallOptions } from "./install.ts";
import { findOcrLanguage, type InstalledOcrLanguage, OCR_EXTENSION } from "./ocr_languages.ts";
import { StagingFolder } from "./staging_folder.ts";
import { readTarMember } from "./tar_member.ts";

/** Maximum size of language data, in bytes; those of English with two engines have 23 MB. */
const MAX_DATA_BYTES = 64 * 2 ** 20;
/** Name of a file with language data: the code of Tesseract, then the extension. */
const DATA_NAME = /^(?:ocr-)?([A-Za-z][A-Za-z0-9_]{1,30})\.traineddata(?:\.gz)?$/;
/** Maximum number of components in language data (`TESSDATA_NUM_ENTRIES` of Tesseract), with a margin. */
const MAX_COMPONENTS = 64;

/** Options of {@linkcode installOcrLanguage}. */
export type OcrInstallOptions = Omit<InstallOptions, "catalogue">;

/**
 * Downloads language data of {@linkcode OCR_LANGUAGES} and puts them in the folder of the models.
 *
 * @throws {ModelError} `unknown_model`, `unreachable`, `wrong_checksum` or `storage`.
 */
export async function installOcrLanguage(
  name: string,
  { folder, ...options }: OcrInstallOptions,
): Promise<InstalledOcrLanguage> {
  const language = findOcrLanguage(name);
  if (!language) {
    throw new ModelError("unknown_model", `There are no language data named ${JSON.stringify(name)}`);
  }
  const { url, sha256, bytes: maxBytes, code } = language;
  return await staged(folder, async (staging) => {
    const path = `${staging}/download`;
    await download(url, path, { sha256, maxBytes, ...options });
    return await publish({ code, data: await Deno.readFile(path) }, { staging, folder });
  });
}

/**
 * Installs language data from a file: `<code>.traineddata`, the same compressed with gzip, or a package of
 * `@tesseract.js-data` (`.tgz`).
 *
 * @throws {ModelError} `invalid_model` or `storage`.
 */
export async function installOcrFile(
  path: string,
  { folder }: Pick<OcrInstallOptions, "folder">,
): Promise<InstalledOcrLanguage> {
  const found = await readDataFile(path);
  return await staged(folder, (staging) => publish(found, { staging, folder }));
}

/** Whether the name of a file says that it has language data for OCR. */
export function isOcrFile(path: string): boolean {
  return DATA_NAME.test(basename(path)) || /\.tgz$/.test(path);
}

/** Language data, which may be compressed. */
interface LanguageFile {
  readonly code: string;
  readonly data: Uint8Array<ArrayBuffer>;
}

async function readDataFile(path: string): Promise<LanguageFile> {
  let data: Uint8Array<ArrayBuffer>;
  try {
    if ((await Deno.stat(path)).size > MAX_DATA_BYTES) throw new Error("it is too large for language data");
    data = await Deno.readFile(path);
  } catch (cause) {
    throw invalid(`Cannot read ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const code = DATA_NAME.exec(basename(path))?.[1];
  if (code !== undefined) return { code, data };
  // The package of a language has its data twice; "best_int" is the smaller and better one.
  const member = readTarMember(
    await inflate(data, path),
    /^package\/[\w.]*best_int\/(\w+)\.traineddata\.gz$/,
  );
  if (!member) throw invalid(`${path} must be a package of @tesseract.js-data`);
  return { code: member.match[1]!, data: member.bytes };
}

async function publish(
  { code, data }: LanguageFile,
  { staging, folder }: { staging: string; folder: string },
): Promise<InstalledOcrLanguage> {
  const isGzip = data[0] === 0x1f && data[1] === 0x8b;
  const plain = isGzip ? await inflate(data, code) : data;
  const components = plain.length < 4 ? 0 : new DataView(plain.buffer, plain.byteOffset).getUint32(0, true);
  if (components < 1 || components > MAX_COMPONENTS) {
    throw invalid(`${code} has no language data of Tesseract`);
  }
  const name = `ocr-${code}`;
  const [from, path] = [`${staging}/${name}`, `${folder}/${name}${OCR_EXTENSION}`];
  await Deno.writeFile(from, plain, { createNew: true });
  await Deno.rename(from, path);
  return { name, path, bytes: plain.length };
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    for await (const part of stream) {
      length += part.length;
      if (length > MAX_DATA_BYTES) throw new Error(`it unpacks to more than ${MAX_DATA_BYTES} bytes`);
      parts.push(part);
    }
  } catch (cause) {
    throw invalid(`Cannot unpack ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Runs an installation with a temporary folder; converts errors of the disk. */
async function staged<T>(folder: string, install: (staging: string) => Promise<T>): Promise<T> {
  try {
    await using staging = await StagingFolder.create(folder);
    return await install(staging.path);
  } catch (error) {
    if (error instanceof ModelError || !(error instanceof Error && "code" in error)) throw error;
    throw new ModelError("storage", `Cannot store the language data in ${folder}: ${error.message}`, {
      cause: error,
    });
  }
}

function invalid(message: string, options?: ErrorOptions): ModelError {
  return new ModelError("invalid_model", message, options);
}
