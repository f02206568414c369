import type { ModelFiles } from "../../src/embeddings/mod.ts";
import type { EngineOptions } from "../../src/engine/mod.ts";
import { tinyModel } from "./tiny_model.ts";

/** Options of {@linkcode TestModel.create}. */
export interface TestModelOptions {
  /** Whether the file is there from the start. @default true */
  readonly isInstalled?: boolean;
  /** Whether the model is configured and not the default. @default true */
  readonly isExplicit?: boolean;
  /** Seed of the weights; another seed is another model. @default 1 */
  readonly seed?: number;
}

/** A tiny model in this process, with a file that tests can install, damage and remove. */
export class TestModel implements AsyncDisposable {
  readonly #directory: string;
  readonly #options: TestModelOptions;
  /** Replaces the download, which otherwise fails. */
  download: (signal: AbortSignal) => Promise<void> = () =>
    Promise.reject(new Error("The model tiny is not installed: run kb-mcp model install tiny"));

  private constructor(directory: string, options: TestModelOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  static async create(options: TestModelOptions = {}): Promise<TestModel> {
    const model = new TestModel(await Deno.makeTempDir(), options);
    if (options.isInstalled ?? true) await model.install();
    return model;
  }

  /** Options of an engine with this model. */
  get engineOptions(): Pick<EngineOptions, "embeddings" | "modelFiles"> {
    const { isExplicit = true } = this.#options;
    const modelFiles: ModelFiles = {
      name: "tiny",
      locate: async () => await Deno.stat(this.path).then(() => this.path, () => undefined),
      download: (signal) => this.download(signal),
    };
    return {
      embeddings: { type: "builtin", model: "tiny", isDefault: !isExplicit, mayDownload: true },
      modelFiles,
    };
  }

  get path(): string {
    return `${this.#directory}/tiny.kbmodel`;
  }

  /** Writes the file in one step, like an installation. */
  async install(): Promise<void> {
    await Deno.writeFile(`${this.path}.part`, tinyModel({ seed: this.#options.seed ?? 1 }));
    await Deno.rename(`${this.path}.part`, this.path);
  }

  /** Changes a byte of the weights. */
  async damage(): Promise<void> {
    const bytes = await Deno.readFile(this.path);
    bytes[bytes.length - 100]! ^= 1;
    await Deno.writeFile(this.path, bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true });
  }
}
