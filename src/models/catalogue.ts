import type { ModelDescription } from "../encoder/mod.ts";

/** A file of a checkpoint, with its expected content. */
export interface CheckpointFile {
  /** Path in the checkpoint's folder. */
  readonly path: string;
  readonly sha256: string;
  /** Maximum size in bytes. */
  readonly maxBytes: number;
}

/** A model that can be installed by name. */
export interface CatalogueModel extends Omit<ModelDescription, "architecture" | "tokenizer"> {
  /** Languages that it was trained on, for people. */
  readonly languages: string;
  /** Maximum number of tokens that it was trained with. */
  readonly maxTokens: number;
  /** Approximate size of the model file, in bytes. */
  readonly bytes: number;
  /** SHA-256 of the model file; undefined: only the files that it is converted from are known. */
  readonly sha256?: string;
  /** URL of the folder of the checkpoint, at a fixed revision; ends with a slash. */
  readonly url: string;
  /** The files to download. */
  readonly files: readonly CheckpointFile[];
}

const MB = 1e6;
const ENGLISH_RETRIEVAL = "Represent this sentence for searching relevant passages: ";

/** Name of the model that search uses by default. */
export const DEFAULT_MODEL = "all-MiniLM-L6-v2";

/**
 * Models that can be installed by name. Each is pinned to a revision, and each file to its SHA-256, so that a
 * compromised hub or mirror cannot supply other weights.
 */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: DEFAULT_MODEL,
    license: "Apache-2.0",
    languages: "English",
    ...hub("sentence-transformers/all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"),
    pooling: "mean",
    prefixes: { query: "", document: "" },
    maxTokens: 256,
    bytes: 24_886_816,
    sha256: "9526e13d0383a44cda3d1214f62a2d728f59e94e4f59df23d6fdf2ce01434f77",
    files: checkpoint({
      config: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
      tokenizer: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
      weights: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    }),
  },
  {
    name: "bge-small-en-v1.5",
    license: "MIT",
    languages: "English",
    ...hub("BAAI/bge-small-en-v1.5", "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"),
    pooling: "cls",
    prefixes: { query: ENGLISH_RETRIEVAL, document: "" },
    maxTokens: 512,
    bytes: 36 * MB,
    files: checkpoint({
      config: "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750",
      tokenizer: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
      weights: "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
    }),
  },
  {
    name: "snowflake-arctic-embed-xs",
    license: "Apache-2.0",
    languages: "English",
    ...hub("Snowflake/snowflake-arctic-embed-xs", "d8c86521100d3556476a063fc2342036d45c106f"),
    pooling: "cls",
    prefixes: { query: ENGLISH_RETRIEVAL, document: "" },
    maxTokens: 512,
    bytes: 25 * MB,
    files: checkpoint({
      config: "d7d071046ab952af96b7abad788db7ab3fc997b465e1b9914ff39707092254ec",
      tokenizer: "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",
      weights: "ee789e0b1d6ecbbd5ce37b474af556cc1a1319cee4417d9e3b11f82e90300706",
    }),
  },
  {
    name: "multilingual-e5-small",
    license: "MIT",
    languages: "94 languages",
    ...hub("intfloat/multilingual-e5-small", "614241f622f53c4eeff9890bdc4f31cfecc418b3"),
    pooling: "mean",
    prefixes: { query: "query: ", document: "passage: " },
    maxTokens: 512,
    bytes: 131 * MB,
    files: checkpoint({
      config: "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959",
      tokenizer: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
      weights: "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
    }),
  },
];

/**
 * Returns the model of the catalogue with this name, in any case.
 *
 * @example
 * ```ts
 * import { findModel } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const model = findModel("ALL-MiniLM-L6-v2");
 * assertEquals([model?.license, model?.maxTokens], ["Apache-2.0", 256]);
 * ```
 */
export function findModel(
  name: string,
  catalogue: readonly CatalogueModel[] = CATALOGUE,
): CatalogueModel | undefined {
  return catalogue.find((model) => model.name.toLowerCase() === name.toLowerCase());
}

function hub(repository: string, revision: string): Pick<CatalogueModel, "origin" | "revision" | "url"> {
  const origin = `https://huggingface.co/${repository}`;
  return { origin, revision, url: `${origin}/resolve/${revision}/` };
}

function checkpoint(sha256: { config: string; tokenizer: string; weights: string }): CheckpointFile[] {
  return [
    { path: "config.json", sha256: sha256.config, maxBytes: MB },
    { path: "tokenizer.json", sha256: sha256.tokenizer, maxBytes: 50 * MB },
    { path: "model.safetensors", sha256: sha256.weights, maxBytes: 500 * MB },
  ];
}
