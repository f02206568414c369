import { modelFolder, programFolders } from "./locate.ts";

/** Language data for OCR that can be installed by name. */
export interface OcrLanguageModel {
  /** Name for `kb-mcp model install`: `ocr-` and the code of Tesseract. */
  readonly name: string;
  /** Code of Tesseract, such as `eng`. */
  readonly code: string;
  /** Language, for people. */
  readonly language: string;
  /** SPDX identifier of the license of the data. */
  readonly license: string;
  /** URL of the data, compressed with gzip, at a fixed version. */
  readonly url: string;
  /** SHA-256 of the compressed data. */
  readonly sha256: string;
  /** Size of the compressed data, in bytes. */
  readonly bytes: number;
}

/** Installed language data. */
export interface InstalledOcrLanguage {
  /** `ocr-` and the code of Tesseract. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/** File name extension of language data. */
export const OCR_EXTENSION = ".traineddata";

/**
 * Language data of Tesseract 4 (integer models of the best quality), as packages for tesseract.js. Each is pinned to its
 * SHA-256, so that a compromised mirror cannot supply other data.
 */
export const OCR_LANGUAGES: readonly OcrLanguageModel[] = [
  language("ara", "Arabic", 1_661_906, "f4746c44b02342dd5b3d4f0198000f47d7c49f1a229e63e0f436c0592dcd9639"),
  language("ces", "Czech", 2_225_029, "1ea33a8b6f9a9c18a6aae44a71eda06bbfdc206fe53cf1fc8121fb74def99166"),
  language(
    "chi_sim",
    "Chinese (simplified)",
    1_718_768,
    "b8a23f10c7de500891eb458a8adc9cc58ab7f242f08b7d149f5e9aea4ad5db7c",
  ),
  language(
    "chi_tra",
    "Chinese (traditional)",
    1_656_239,
    "11fe2610dab05d8a880d02f193ce70203f4c4bbe061b987d5529a2c038a22743",
  ),
  language("deu", "German", 1_333_102, "306c4280d0cbed46fbff727486bd43b92730181bae80f56941a091f363bdf28b"),
  language("eng", "English", 2_952_873, "45b4cb346724ac1774f1c36f42f182b887bcdb28ebe63e6fff90ac41f3fcff91"),
  language("fra", "French", 707_406, "d611139672b3752c7097e671e4a1d9209dfd37f2aeb081ef6487fba3351e9255"),
  language("heb", "Hebrew", 580_576, "9c70b524200dae77fb25e3567566eee600ccbcae9aeb89722990ccae0e84e805"),
  language("ita", "Italian", 1_660_998, "f702fcfad297ce028ede3626d1467b67939f23ff23595f9badd54681cf25a4d3"),
  language("jpn", "Japanese", 2_030_256, "2b63ebfbf1484de4a08ce53b29ef98a1c17658a93cbd38acb665d7d316d0be88"),
  language("kor", "Korean", 1_572_336, "78c21276ab14c9bb734d83be1055d9fe5469a4e7e977c51ad385be5737e61126"),
  language("nld", "Dutch", 3_005_696, "a2d904b6ddc4feb0d31ecfcd7361a554102e7aa2e278c54f4fc029e0d0815571"),
  language("pol", "Polish", 2_642_356, "a20fdec4ff99d8f8e84c708da3e42a4e935c26863055a0ed88aef5c66a59b91b"),
  language(
    "por",
    "Portuguese",
    1_392_239,
    "dacebc1386ddaaf8389f81094236cca0d690897cde693d48cbdaa881c86e2b4c",
  ),
  language("spa", "Spanish", 2_100_190, "40be52f97b5d4eb7460073dc1f94cd546b27150333c0bf854ed7e7132db6bceb"),
  language("swe", "Swedish", 2_503_095, "b60d9fea7e570d11d6fdf26c8d0ef1d63b49222313773ce66777ed08fa20dc5a"),
  language("tur", "Turkish", 2_141_291, "384ba0dc28040451b7818d7d60e0a88df0d3003fa5a01d713a468779bc3d8c04"),
  language("ukr", "Ukrainian", 2_114_206, "ea2789a0ad99ff84bfd252a7410a1e8661a7bc5acaa41573d23b54b71446aa4c"),
];

function language(code: string, name: string, bytes: number, sha256: string): OcrLanguageModel {
  return {
    name: `ocr-${code}`,
    code,
    language: name,
    license: "Apache-2.0",
    url:
      `https://cdn.jsdelivr.net/npm/@tesseract.js-data/${code}@1.0.0/4.0.0_best_int/${code}.traineddata.gz`,
    sha256,
    bytes,
  };
}

/**
 * Returns the language data with this name, in any case.
 *
 * @example
 * ```ts
 * import { findOcrLanguage } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(findOcrLanguage("OCR-deu")?.language, "German");
 * ```
 */
export function findOcrLanguage(name: string): OcrLanguageModel | undefined {
  return OCR_LANGUAGES.find((each) => each.name.toLowerCase() === name.toLowerCase());
}

/** Lists the installed language data by name: those of the program, then those of the data directory. */
export async function listOcrLanguages(dataDir: string): Promise<InstalledOcrLanguage[]> {
  const found = new Map<string, InstalledOcrLanguage>();
  for (const folder of [...programFolders(), modelFolder(dataDir)]) {
    for (const { name, path } of await filesIn(folder)) {
      const { size, isFile } = await Deno.stat(path);
      if (isFile && !found.has(name)) found.set(name, { name, path, bytes: size });
    }
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

async function filesIn(folder: string): Promise<{ name: string; path: string }[]> {
  try {
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    return names.filter((name) => name.startsWith("ocr-") && name.endsWith(OCR_EXTENSION))
      .map((name) => ({ name: name.slice(0, -OCR_EXTENSION.length), path: `${folder}/${name}` }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}
