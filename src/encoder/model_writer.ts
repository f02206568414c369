import { createHash } from "node:crypto";
import { align, MAGIC, type QuantizedMatrix, scaleCount } from "./model_file.ts";
import { FORMAT, type ModelDescription, type ModelHeader, type TensorEntry } from "./model_header.ts";
import { encoderTensors } from "./tensors.ts";

/** The data of a model, read in parts so that little of it is in memory at once. */
export interface ModelContent {
  /** Data of the tokenizer. */
  readonly vocabulary: Uint8Array;
  /** Number of rows of the word embeddings. */
  readonly vocabularySize: number;
  /** Returns a matrix in blocks of rows; see `encoderTensors` for the names. */
  matrix(name: string): Iterable<QuantizedMatrix>;
  /** Returns a float32 tensor. */
  floats(name: string): Float32Array;
}

/**
 * Encodes a model file, in chunks to be written one after the other.
 *
 * The bytes depend on the arguments only: the order of the fields and of the data is fixed, numbers are little-endian
 * and padding is zero.
 *
 * @throws {RangeError} When a tensor has another size than the architecture requires.
 */
export function* encodeModelFile(
  { name, license, origin, revision, architecture, pooling, prefixes, tokenizer }: ModelDescription,
  content: ModelContent,
): Generator<Uint8Array, void> {
  const types = encoderTensors(architecture, content.vocabularySize);
  let length = 0;
  const allocate = (bytes: number): number => {
    const offset = align(length);
    length = offset + bytes;
    return offset;
  };
  const vocabulary = { offset: allocate(content.vocabulary.length), length: content.vocabulary.length };
  const tensors: Record<string, TensorEntry> = {};
  for (const [name, { type, shape }] of types) {
    const count = shape.reduce((product, each) => product * each, 1);
    tensors[name] = type === "int8"
      ? {
        type,
        shape,
        offset: allocate(count),
        scales: allocate(4 * scaleCount(shape[0] ?? 0, shape[1] ?? 0)),
      }
      : { type, shape, offset: allocate(count * 4) };
  }
  const {
    type,
    layers,
    hidden,
    heads,
    intermediate,
    max_tokens,
    positions,
    layer_norm_epsilon,
    activation,
    position_offset,
  } = architecture;
  const header: ModelHeader = {
    format: FORMAT,
    name,
    license,
    origin,
    revision,
    architecture: {
      type,
      layers,
      hidden,
      heads,
      intermediate,
      max_tokens,
      positions,
      layer_norm_epsilon,
      activation,
      position_offset,
    },
    pooling,
    prefixes: { query: prefixes.query, document: prefixes.document },
    tokenizer: Object.fromEntries(Object.entries(tokenizer).sort(([a], [b]) => a < b ? -1 : 1)),
    vocabulary,
    tensors,
  };

  const hash = createHash("sha256");
  let written = 0;
  const hashed = (bytes: Uint8Array): Uint8Array => {
    hash.update(bytes);
    written += bytes.length;
    return bytes;
  };
  const padding = () => hashed(new Uint8Array(align(written) - written));
  yield hashed(encodeHead(header));
  yield padding();
  yield hashed(content.vocabulary);
  for (const [name, { type, shape }] of types) {
    yield padding();
    if (type === "float32") {
      yield hashed(floatBytes(content, name, shape));
      continue;
    }
    const [rows = 0, columns = 0] = shape;
    const scales = new Float32Array(scaleCount(rows, columns));
    let row = 0;
    for (const block of content.matrix(name)) {
      const end = row + block.rows;
      if (end > rows || block.columns !== columns) throw wrongShape(name, [end, block.columns], shape);
      scales.set(block.scales, scaleCount(row, columns));
      row = end;
      yield hashed(new Uint8Array(block.values.buffer, block.values.byteOffset, block.values.byteLength));
    }
    if (row < rows) throw wrongShape(name, [row, columns], shape);
    yield padding();
    yield hashed(littleEndian(scales));
  }
  yield Uint8Array.from(hash.digest());
}

/** Returns the magic, the length of the header and the header. */
function encodeHead(header: ModelHeader): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(MAGIC.length + 4 + json.length);
  head.set(new TextEncoder().encode(MAGIC));
  new DataView(head.buffer).setUint32(MAGIC.length, json.length, true);
  head.set(json, MAGIC.length + 4);
  return head;
}

function floatBytes(content: ModelContent, name: string, shape: readonly number[]): Uint8Array {
  const values = content.floats(name);
  if (values.length !== shape.reduce((product, each) => product * each, 1)) {
    throw wrongShape(name, [values.length], shape);
  }
  return littleEndian(values);
}

/** Deno runs on little-endian machines only. */
function littleEndian({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function wrongShape(name: string, actual: readonly number[], expected: readonly number[]): RangeError {
  return new RangeError(`${name} must have the shape [${expected.join(", ")}], got [${actual.join(", ")}]`);
}
