import * as z from "zod";
import type { Architecture, ModelDescription } from "../encoder/mod.ts";
import type { CatalogueModel } from "./catalogue.ts";
import { ModelError } from "./errors.ts";
import { sha256OfFile } from "./sha256.ts";

/** Files that a checkpoint may consist of; the first three are required. */
export const CHECKPOINT_FILES = [
  "config.json",
  "tokenizer.json",
  "model.safetensors",
  "sentence_bert_config.json",
  "config_sentence_transformers.json",
  "1_Pooling/config.json",
  "modules.json",
  "README.md",
] as const;

type CheckpointFileName = (typeof CHECKPOINT_FILES)[number];

/** Everything about a model but its tokenizer, which `convertTokenizer` returns. */
export type CheckpointDescription = Omit<ModelDescription, "tokenizer">;

/** Same limits as those of a model file's header: the number of tensors to look up depends on them. */
const Config = z.object({
  model_type: z.enum(["bert", "roberta", "xlm-roberta"]),
  hidden_size: z.int().positive().max(4096),
  num_hidden_layers: z.int().positive().max(64),
  num_attention_heads: z.int().positive().max(256),
  intermediate_size: z.int().positive().max(16_384),
  max_position_embeddings: z.int().positive().max(65_536),
  layer_norm_eps: z.number().nonnegative(),
  hidden_act: z.literal("gelu"),
  position_embedding_type: z.literal("absolute").default("absolute"),
  pad_token_id: z.int().nonnegative().default(0),
});

const SentenceConfig = z.object({ max_seq_length: z.int().positive().nullish() });

const Prompts = z.object({
  prompts: z.object({
    query: z.string().default(""),
    document: z.string().optional(),
    passage: z.string().optional(),
  }).default({ query: "" }),
});

const Pooling = z.object({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
  pooling_mode_max_tokens: z.literal(false).default(false),
  pooling_mode_mean_sqrt_len_tokens: z.literal(false).default(false),
}).refine((pooling) => pooling.pooling_mode_cls_token !== pooling.pooling_mode_mean_tokens, {
  error: "must select either the mean of the tokens or the first token",
});

const Modules = z.array(z.object({ type: z.string() })).refine(
  (modules) => modules.every(({ type }) => /\.(?:Transformer|Pooling|Normalize)$/.test(type)),
  { error: "must be Transformer, Pooling and Normalize: further layers are not supported" },
);

/** A description, and the model of the catalogue that it is. */
export interface DescribedCheckpoint {
  readonly description: CheckpointDescription;
  readonly known: CatalogueModel | undefined;
}

/**
 * Describes the checkpoint in a folder, laid out as on the model hub.
 *
 * If its files are those of a model in the catalogue, it is that model, so that every copy of a checkpoint converts to
 * the same model file.
 *
 * @param options.name Name for a model that is not in the catalogue.
 * @throws {ModelError} `invalid_model` when the encoder does not support the checkpoint.
 */
export async function describeCheckpoint(
  directory: string,
  { name, catalogue }: { name: string; catalogue: readonly CatalogueModel[] },
): Promise<DescribedCheckpoint> {
  const config = await readJson(directory, "config.json", Config);
  if (config === undefined) throw invalid("the checkpoint must contain config.json");
  const known = await findByContent(directory, catalogue);
  if (known) {
    const { name, license, origin, revision, pooling, prefixes, maxTokens } = known;
    const description = { name, license, origin, revision, pooling, prefixes };
    return { description: { ...description, architecture: architecture(config, maxTokens) }, known };
  }
  await readJson(directory, "modules.json", Modules);
  const pooling = await readJson(directory, "1_Pooling/config.json", Pooling);
  const prompts = (await readJson(directory, "config_sentence_transformers.json", Prompts))?.prompts;
  const sentences = await readJson(directory, "sentence_bert_config.json", SentenceConfig);
  const description: CheckpointDescription = {
    name,
    license: await readLicense(directory),
    origin: "a local checkpoint",
    revision: "unknown",
    architecture: architecture(config, sentences?.max_seq_length),
    pooling: pooling?.pooling_mode_cls_token ? "cls" : "mean",
    prefixes: { query: prompts?.query ?? "", document: prompts?.document ?? prompts?.passage ?? "" },
  };
  return { description, known: undefined };
}

/** Returns the model of the catalogue whose files are all in the folder. */
async function findByContent(
  directory: string,
  catalogue: readonly CatalogueModel[],
): Promise<CatalogueModel | undefined> {
  const hashes = new Map<string, Promise<string>>();
  const hash = (path: string) => hashes.getOrInsertComputed(path, () => hashOf(directory, path));
  for (const model of catalogue) {
    const matches = await Promise.all(
      model.files.map(async ({ path, sha256 }) => await hash(path) === sha256),
    );
    if (matches.every(Boolean)) return model;
  }
  return undefined;
}

async function hashOf(directory: string, path: string): Promise<string> {
  try {
    return await sha256OfFile(`${directory}/${path}`);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw invalid(`the checkpoint must contain ${path}`, { cause });
  }
}

function architecture(config: z.infer<typeof Config>, maxTokens: number | null | undefined): Architecture {
  // RoBERTa numbers positions from the one after the padding token.
  const position_offset = config.model_type === "bert" ? 0 : config.pad_token_id + 1;
  const positions = config.max_position_embeddings;
  return {
    type: "bert",
    layers: config.num_hidden_layers,
    hidden: config.hidden_size,
    heads: config.num_attention_heads,
    intermediate: config.intermediate_size,
    max_tokens: Math.min(maxTokens ?? Infinity, positions - position_offset),
    positions,
    layer_norm_epsilon: config.layer_norm_eps,
    activation: config.hidden_act,
    position_offset,
  };
}

/** Returns the license that the model card names. */
async function readLicense(directory: string): Promise<string> {
  const card = await readIfFile(directory, "README.md");
  const name = /^---\n(?:.*\n)*?license: *["']?([\w.+-]+)["']? *\n/.exec(card ?? "")?.[1];
  return name ?? "unknown";
}

async function readJson<Schema extends z.ZodType>(
  directory: string,
  name: CheckpointFileName,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await readIfFile(directory, name);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw invalid(`${name} must be JSON`, { cause });
    const [issue] = cause.issues;
    throw invalid(`${name} must describe a BERT encoder: ${issue?.path.join(".")}: ${issue?.message}`, {
      cause,
    });
  }
}

async function readIfFile(directory: string, name: CheckpointFileName): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(`${directory}/${name}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function invalid(problem: string, options?: ErrorOptions): ModelError {
  return new ModelError("invalid_model", `Cannot convert the model: ${problem}`, options);
}
