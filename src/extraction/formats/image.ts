import { imageSize } from "image-size";
import { damaged, ExtractionError, noText, tooLarge } from "../errors.ts";
import { MAX_IMAGE_PIXELS } from "../limits.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import type { OcrText } from "../ocr/mod.ts";
import { ocrWarning } from "../ocr/warning.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Reads the text in an image by OCR, if language data are installed. */
export async function extractImage(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name, ocr } = context;
  if (!ocr) {
    throw new ExtractionError(
      "unsupported_type",
      `Cannot read ${name}: it is an image, and no language data for OCR are installed. Run kb-mcp model install ` +
        "ocr-eng (or another language) and restart the server, or upload the text",
    );
  }
  const { width, height } = sizeOf(file.bytes, name);
  if (width * height > MAX_IMAGE_PIXELS) {
    throw tooLarge(name, `it has more than ${MAX_IMAGE_PIXELS / 1e6} million pixels`);
  }
  const found = await recognize(file.bytes, context);
  const text = normalizeText(found?.text ?? "").trim();
  if (!found) throw damaged(name, "it is not a valid image. Open it, save it again as PNG and upload that");
  if (text === "") {
    throw noText(
      name,
      "OCR has found no words",
      "upload a sharper image, or install the language data of its language",
    );
  }
  checkLength(text.length, context);
  return {
    docType: "image",
    title: undefined,
    text,
    markup: "plain",
    pageStarts: undefined,
    metadata: { width, height, ocr: { languages: [...ocr.languages], confidence: found.confidence } },
    tags: [],
    warnings: [ocrWarning("The text", found.confidence)],
  };
}

async function recognize(
  bytes: Uint8Array,
  { name, ocr }: ExtractionContext,
): Promise<OcrText | undefined> {
  try {
    return await ocr?.recognize(bytes);
  } catch (error) {
    throw damaged(name, "OCR has failed. Open it, save it again as PNG and upload that", error);
  }
}

function sizeOf(bytes: Uint8Array, name: string): { width: number; height: number } {
  try {
    return imageSize(bytes);
  } catch (error) {
    throw damaged(name, "it is not a valid image. Open it, save it again as PNG and upload that", error);
  }
}
