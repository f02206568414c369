import type { Architecture, TensorEntry } from "./model_header.ts";

/** Type and shape of a tensor. */
export type TensorType = Pick<TensorEntry, "type" | "shape">;

/**
 * Returns the tensors of an encoder by name, in the order of a model file: all of them, and no others.
 *
 * Matrices are `[output, input]`, as in the checkpoints. Of the token type embeddings only the first row is kept: a text
 * has one segment.
 *
 * @param vocabularySize Number of rows of the word embeddings.
 */
export function encoderTensors(
  { layers, hidden, intermediate, positions }: Architecture,
  vocabularySize: number,
): Map<string, TensorType> {
  const tensors = new Map<string, TensorType>();
  const matrix = (name: string, rows: number, columns: number) =>
    tensors.set(`${name}.weight`, { type: "int8", shape: [rows, columns] });
  const vector = (name: string, length: number) => tensors.set(name, { type: "float32", shape: [length] });
  const linear = (name: string, output: number, input: number) => {
    matrix(name, output, input);
    vector(`${name}.bias`, output);
  };
  const layerNorm = (name: string) => {
    vector(`${name}.weight`, hidden);
    vector(`${name}.bias`, hidden);
  };
  matrix("embeddings.word_embeddings", vocabularySize, hidden);
  tensors.set("embeddings.position_embeddings.weight", { type: "float32", shape: [positions, hidden] });
  tensors.set("embeddings.token_type_embeddings.weight", { type: "float32", shape: [1, hidden] });
  layerNorm("embeddings.LayerNorm");
  for (let index = 0; index < layers; index++) {
    const layer = `encoder.layer.${index}`;
    linear(`${layer}.attention.self.query`, hidden, hidden);
    linear(`${layer}.attention.self.key`, hidden, hidden);
    linear(`${layer}.attention.self.value`, hidden, hidden);
    linear(`${layer}.attention.output.dense`, hidden, hidden);
    layerNorm(`${layer}.attention.output.LayerNorm`);
    linear(`${layer}.intermediate.dense`, intermediate, hidden);
    linear(`${layer}.output.dense`, hidden, intermediate);
    layerNorm(`${layer}.output.LayerNorm`);
  }
  return tensors;
}
