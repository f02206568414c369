import type { ModelFile } from "../../src/encoder/mod.ts";

/** Values of one token. */
type Row = readonly number[];

/** Computes the vector of a text in float64, straight from the definition of BERT (arXiv:1810.04805). */
export function referenceVector(file: ModelFile, ids: Uint32Array): number[] {
  const { architecture: { layers, heads, layer_norm_epsilon: epsilon, position_offset }, pooling } =
    file.header;
  const layerNorm = (rows: readonly Row[], name: string): Row[] => {
    const [weight, bias] = [file.floats(`${name}.weight`), file.floats(`${name}.bias`)];
    return rows.map((row) => {
      const mean = sum(row) / row.length;
      const deviation = Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / row.length + epsilon);
      return row.map((value, i) => (value - mean) / deviation * weight[i]! + bias[i]!);
    });
  };
  const linear = (rows: readonly Row[], name: string): Row[] => {
    const weights = matrixOf(file, `${name}.weight`);
    const bias = file.floats(`${name}.bias`);
    return rows.map((row) => weights.map((weight, i) => dot(weight, row) + bias[i]!));
  };

  const words = matrixOf(file, "embeddings.word_embeddings.weight");
  const positions = file.floats("embeddings.position_embeddings.weight");
  const type = file.floats("embeddings.token_type_embeddings.weight");
  let hidden = layerNorm(
    Array.from(
      ids,
      (id, token) =>
        words[id]!.map((value, i) =>
          value + positions[(token + position_offset) * type.length + i]! + type[i]!
        ),
    ),
    "embeddings.LayerNorm",
  );
  for (let index = 0; index < layers; index++) {
    const layer = `encoder.layer.${index}`;
    const [query, key, value] = ["query", "key", "value"].map((name) =>
      linear(hidden, `${layer}.attention.self.${name}`)
    ) as [Row[], Row[], Row[]];
    const attended = linear(attention(query, key, value, heads), `${layer}.attention.output.dense`);
    hidden = layerNorm(add(hidden, attended), `${layer}.attention.output.LayerNorm`);
    const inner = linear(hidden, `${layer}.intermediate.dense`).map((row) => row.map(gelu));
    hidden = layerNorm(
      add(hidden, linear(inner, `${layer}.output.dense`)),
      `${layer}.output.LayerNorm`,
    );
  }
  const pooled = pooling === "cls"
    ? [...hidden[0]!]
    : hidden[0]!.map((_, i) => sum(hidden.map((row) => row[i]!)) / hidden.length);
  const length = Math.sqrt(dot(pooled, pooled));
  return pooled.map((value) => value / length);
}

/** Returns the cosine of two vectors. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

function matrixOf(file: ModelFile, name: string): Row[] {
  const { rows, columns, values, scales } = file.matrix(name);
  const groups = columns / 64;
  return Array.from({ length: rows }, (_, row) =>
    Array.from(
      { length: columns },
      (_, i) => values[row * columns + i]! * scales[row * groups + Math.floor(i / 64)]!,
    ));
}

function attention(query: readonly Row[], key: readonly Row[], value: readonly Row[], heads: number): Row[] {
  const size = query[0]!.length / heads;
  return query.map((row) =>
    Array.from({ length: heads }, (_, head) => {
      const part = (row: Row) => row.slice(head * size, (head + 1) * size);
      const scores = key.map((other) => Math.exp(dot(part(row), part(other)) / Math.sqrt(size)));
      const total = sum(scores);
      return part(row).map((_, i) =>
        sum(value.map((other, token) => scores[token]! / total * part(other)[i]!))
      );
    }).flat()
  );
}

function gelu(x: number): number {
  return x / 2 * (1 + erf(x / Math.SQRT2));
}

/** The Maclaurin series, which converges everywhere; beyond 5, erf is ±1 to 10 digits. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let term = x;
  let total = x;
  for (let n = 1; Math.abs(term) > 1e-17; n++) {
    term *= -x * x / n;
    total += term / (2 * n + 1);
  }
  return 2 / Math.sqrt(Math.PI) * total;
}

function add(a: readonly Row[], b: readonly Row[]): Row[] {
  return a.map((row, token) => row.map((value, i) => value + b[token]![i]!));
}

function dot(a: Row, b: Row): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i]! * b[i]!;
  return total;
}

function sum(values: Row): number {
  return values.reduce((total, value) => total + value, 0);
}
