import english from "@tesseract.js-data/eng";
import { type OcrLanguage, readLanguageData } from "../../src/extraction/mod.ts";

/** Path of the English language data, compressed with gzip, in their package of npm. */
export const ENGLISH_DATA = `${english.langPath}_best_int/eng.traineddata.gz`;

/** Returns the English language data. */
export async function englishData(): Promise<OcrLanguage> {
  return { code: english.code, data: await readLanguageData(await Deno.readFile(ENGLISH_DATA)) };
}
