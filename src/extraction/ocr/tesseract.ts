/** The API of `tesseract.js-core` that is used here: that of Tesseract in C++, as Emscripten exports it. */
interface TesseractModule {
  readonly FS: {
    writeFile(path: string, data: Uint8Array): void;
    unlink(path: string): void;
  };
  readonly TessBaseAPI: new () => TesseractApi;
}

/** `TessBaseAPI` of Tesseract 5. */
interface TesseractApi {
  /** Returns 0 if all languages were loaded. `mode` 1: LSTM only. */
  Init(folder: string, languages: string, mode: number): number;
  SetVariable(name: string, value: string): boolean;
  /** Reads `/input` of the virtual file system. Returns 0 if the image was decoded. */
  SetImageFile(exifOrientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
}

/** LSTM models only, which all language data contain. */
const LSTM_ONLY = 1;

/** The language data of one language. */
export interface OcrLanguage {
  /** Code of Tesseract, such as `eng` or `chi_sim`. */
  readonly code: string;
  /** The bytes of `<code>.traineddata`. */
  readonly data: Uint8Array;
}

/** Tesseract with its languages, ready to read images. */
export class Tesseract {
  readonly #module: TesseractModule;
  readonly #api: TesseractApi;

  private constructor(module: TesseractModule, api: TesseractApi) {
    this.#module = module;
    this.#api = api;
  }

  /**
   * Loads Tesseract: about 3 MB of WebAssembly, and 60 MB of memory with English.
   *
   * @throws {Error} When the language data cannot be used.
   */
  static async load(languages: readonly OcrLanguage[]): Promise<Tesseract> {
    const { default: create } = await import(
      "tesseract.js-core/tesseract-core-simd-lstm.wasm.js"
    ) as unknown as {
      default: (options: object) => Promise<TesseractModule>;
    };
    const module = await create({ print: () => {}, printErr: () => {} });
    for (const { code, data } of languages) module.FS.writeFile(`/${code}.traineddata`, data);
    const api = new module.TessBaseAPI();
    const names = languages.map(({ code }) => code).join("+");
    if (api.Init("/", names, LSTM_ONLY) !== 0) throw new Error(`Tesseract cannot use the languages ${names}`);
    return new Tesseract(module, api);
  }

  /**
   * Reads an image: PNG, JPEG, TIFF (first page), WebP, GIF, BMP or PNM.
   *
   * @returns The table of Tesseract's `tsv` output, without its header row; undefined if the image cannot be decoded.
   */
  recognize(image: Uint8Array): string | undefined {
    this.#module.FS.writeFile("/input", image);
    try {
      if (this.#api.SetImageFile(1, 0) !== 0) return undefined;
      this.#api.Recognize(null);
      return this.#api.GetTSVText(0);
    } finally {
      this.#api.Clear();
      this.#module.FS.unlink("/input");
    }
  }
}
