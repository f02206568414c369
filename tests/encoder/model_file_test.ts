import { createHash } from "node:crypto";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { encodeModelFile, encoderTensors, ModelFileError, readModelFile } from "../../src/encoder/mod.ts";
import { concat, tinyDescription, tinyModel } from "../support/tiny_model.ts";

const HEADER_START = 12;

// deno-lint-ignore no-explicit-any -- the tests break the header in every way
type AnyHeader = any;

/** Returns a model file with another header and a correct checksum. */
function withHeader(file: Uint8Array, change: (header: AnyHeader) => unknown): Uint8Array {
  const length = new DataView(file.buffer).getUint32(8, true);
  const start = Math.ceil((HEADER_START + length) / 64) * 64;
  const header = JSON.parse(new TextDecoder().decode(file.subarray(HEADER_START, HEADER_START + length)));
  const changed = change(header) ?? header;
  const json = new TextEncoder().encode(typeof changed === "string" ? changed : JSON.stringify(changed));
  return withHead(json, file.subarray(start, -32));
}

function withHead(json: Uint8Array, data: Uint8Array, length = json.length): Uint8Array {
  const head = new Uint8Array(Math.ceil((HEADER_START + json.length) / 64) * 64);
  head.set(new TextEncoder().encode("KBMODEL1"));
  new DataView(head.buffer).setUint32(8, length, true);
  head.set(json, HEADER_START);
  return sealed(concat([head, data]));
}

function sealed(bytes: Uint8Array): Uint8Array {
  return concat([bytes, createHash("sha256").update(bytes).digest()]);
}

function assertRejected(file: Uint8Array, code: ModelFileError["code"], message: string): void {
  const error = assertThrows(() => readModelFile(file), ModelFileError, message);
  assertEquals(error.code, code);
}

const WORDS = "embeddings.word_embeddings.weight";

Deno.test("a model file has the description, vocabulary and tensors that were written", () => {
  const description = tinyDescription({ name: "a.b-C_1", prefixes: { query: "query: ", document: "" } });
  const types = encoderTensors(description.architecture, 3);
  const shape = (name: string) => types.get(name)!.shape;
  const file = readModelFile(concat(encodeModelFile(description, {
    vocabulary: new TextEncoder().encode("a\nb\nc\n"),
    vocabularySize: 3,
    matrix: (name) => {
      const [rows = 0, columns = 0] = shape(name);
      const block = (rows: number) => ({
        rows,
        columns,
        values: new Int8Array(rows * columns).fill(-127),
        scales: new Float32Array(rows * columns / 64).fill(0.5),
      });
      return [block(1), block(rows - 1)];
    },
    floats: (name) => new Float32Array(shape(name).reduce((a, b) => a * b)).fill(name.length),
  })));
  const { format, vocabulary: _, tensors, ...read } = file.header;
  assertEquals([format, read], [1, description]);
  assertEquals(new TextDecoder().decode(file.vocabulary), "a\nb\nc\n");
  assertEquals(Object.keys(tensors), [...types.keys()]);
  const words = file.matrix(WORDS);
  assertEquals([words.rows, words.columns, [...words.scales]], [3, 64, [0.5, 0.5, 0.5]]);
  assert(words.values.every((value) => value === -127));
  assertEquals(file.floats("embeddings.LayerNorm.bias"), new Float32Array(64).fill(25));
  assertThrows(() => file.matrix("embeddings.LayerNorm.bias"), RangeError);
  assertThrows(() => file.floats(WORDS), RangeError);
});

Deno.test("the bytes of a model file do not depend on the order of the tokenizer's options", () => {
  const description = tinyDescription();
  const reversed = Object.fromEntries(Object.entries(description.tokenizer).reverse());
  const content = {
    vocabulary: new Uint8Array(1),
    vocabularySize: 1,
    matrix: (name: string) => {
      const [rows = 0, columns = 0] = encoderTensors(description.architecture, 1).get(name)!.shape;
      return [{
        rows,
        columns,
        values: new Int8Array(rows * columns),
        scales: new Float32Array(rows * columns / 64),
      }];
    },
    floats: (name: string) => {
      const { shape } = encoderTensors(description.architecture, 1).get(name)!;
      return new Float32Array(shape.reduce((a, b) => a * b));
    },
  };
  assertEquals(
    concat(encodeModelFile({ ...description, tokenizer: reversed }, content)),
    concat(encodeModelFile(description, content)),
  );
});

Deno.test("a model file can be read at any position of a buffer", () => {
  const file = tinyModel();
  const shifted = new Uint8Array(file.length + 1).subarray(1);
  shifted.set(file);
  assertEquals(readModelFile(shifted).matrix(WORDS), readModelFile(file).matrix(WORDS));
});

Deno.test("writing refuses a tensor of another size", () => {
  const block = { rows: 1, columns: 64, values: new Int8Array(64), scales: new Float32Array(1) };
  const write = (blocks: typeof block[]) =>
    concat(encodeModelFile(tinyDescription(), {
      vocabulary: new Uint8Array(1),
      vocabularySize: 2,
      matrix: () => blocks,
      floats: () => new Float32Array(63),
    }));
  assertThrows(() => write([block]), RangeError, `${WORDS} must have the shape [2, 64], got [1, 64]`);
  assertThrows(() => write([block, block, block]), RangeError, "got [3, 64]");
  assertThrows(() => write([{ ...block, columns: 32 }]), RangeError, "got [1, 32]");
  assertThrows(() => write([block, block]), RangeError, "must have the shape [48, 64], got [63]");
});

Deno.test("a file that is no model, or a damaged one, is rejected", () => {
  const file = tinyModel();
  assertRejected(new Uint8Array(0), "format", 'the file must start with KBMODEL1, got ""');
  assertRejected(
    new TextEncoder().encode("<!doctype html>".repeat(100)),
    "format",
    "must start with KBMODEL1",
  );
  assertRejected(file.subarray(0, 20), "truncated", "the file ends in its header");
  assertRejected(file.subarray(0, 200), "truncated", "the file ends in its header");
  for (const end of [10_000, file.length - 33, file.length - 1]) {
    assertRejected(file.subarray(0, end), "checksum", "damaged or incomplete");
  }
  for (const index of [100, 50_000, file.length - 1]) {
    const damaged = file.slice();
    damaged[index]! ^= 1;
    assertRejected(damaged, "checksum", "damaged or incomplete");
  }
  assertRejected(concat([file, new Uint8Array(64)]), "checksum", "damaged or incomplete");
});

Deno.test("a header that is too long, no JSON or of a newer format is rejected", () => {
  const file = tinyModel();
  assertRejected(
    withHead(new Uint8Array(8), new Uint8Array(64), 2 ** 32 - 1),
    "header",
    "at most 1048576 bytes",
  );
  assertRejected(withHead(new Uint8Array(8), new Uint8Array(64), 2 ** 20), "truncated", "ends in its header");
  assertRejected(withHeader(file, () => "{"), "header", "header must be JSON");
  assertRejected(withHead(Uint8Array.of(0x22, 0xff, 0x22), new Uint8Array(64)), "header", "JSON in UTF-8");
  assertRejected(withHeader(file, () => "[]"), "header", "header must be an object, got []");
  assertRejected(withHeader(file, (header) => void (header.format = 2)), "format", "format must be 1, got 2");
});

Deno.test("a header with an invalid field is rejected by name", () => {
  const file = tinyModel();
  const cases: [string, (header: AnyHeader) => void][] = [
    ["header.name must be letters", (header) => header.name = "../x"],
    ["header.license must be a string", (header) => delete header.license],
    ["header.origin must be one line", (header) => header.origin = "\x1b[2Jhttps://example.com"],
    ["header.pooling must be", (header) => header.pooling = "max"],
    ["header.prefixes.query must be a string", (header) => header.prefixes = {}],
    ["header.tokenizer must be an object", (header) => header.tokenizer = null],
    ["header.architecture.layers must be an integer", (header) => header.architecture.layers = 1e9],
    ["header.architecture.heads must be a divisor", (header) => header.architecture.heads = 3],
    ["header.architecture.hidden must be", (header) => header.architecture.hidden = "64"],
    ["header.architecture.max_tokens must be", (header) => header.architecture.max_tokens = 49],
    [
      "header.architecture.layer_norm_epsilon must be",
      (header) => header.architecture.layer_norm_epsilon = null,
    ],
    ["header.vocabulary.length must be", (header) => header.vocabulary.length = 0.5],
    ["header.tensors must be an object", (header) => header.tensors = []],
    [`header.tensors.${WORDS}.shape must be`, (header) => header.tensors[WORDS].shape = [1, 2, 3]],
    [`header.tensors.${WORDS}.scales must be`, (header) => delete header.tensors[WORDS].scales],
    [`tensor ${WORDS} must be int8 [1, 64], got nothing`, (header) => delete header.tensors[WORDS]],
    [`tensor ${WORDS} must be int8`, (header) => header.tensors[WORDS].type = "float32"],
    ["tensor embeddings.LayerNorm.bias must be float32 [64]", (header) => {
      header.tensors["embeddings.LayerNorm.bias"].shape = [63];
    }],
    ["tensor encoder.layer.2.attention", (header) => header.architecture.layers = 3],
    ["the encoder has no tensor pooler", (header) => {
      header.tensors.pooler = header.tensors["embeddings.LayerNorm.bias"];
    }],
  ];
  for (const [message, change] of cases) {
    assertRejected(withHeader(file, (header) => void change(header)), "header", message);
  }
});

Deno.test("data outside the file, overlapping or not aligned is rejected before it is read", () => {
  const file = tinyModel();
  const cases: [string, (header: AnyHeader) => void][] = [
    [`${WORDS} must end within`, (header) => header.tensors[WORDS].offset = 2 ** 52],
    [`${WORDS} must end within`, (header) => header.tensors[WORDS].shape[0] = 2 ** 31 - 1],
    [`the scales of ${WORDS} must end within`, (header) => header.tensors[WORDS].scales = 64 * 2 ** 30],
    ["vocabulary must end within", (header) => {
      header.vocabulary.offset = 64 * 2 ** 30;
    }],
    [`overlaps other data`, (header) => header.tensors[WORDS].offset = 0],
    [`overlaps other data`, (header) => header.tensors[WORDS].scales = header.tensors[WORDS].offset],
    [`the offset of ${WORDS} must be a multiple of 64`, (header) => header.tensors[WORDS].offset += 4],
  ];
  for (const [message, change] of cases) {
    assertRejected(withHeader(file, (header) => void change(header)), "header", message);
  }
});
