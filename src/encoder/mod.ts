/**
 * Text encoder: turns texts into vectors with a BERT model from one file. Pure computation, no I/O.
 *
 * @module
 */
export { ModelFileError, type ModelFileErrorCode } from "./errors.ts";
export { Encoder } from "./encoder.ts";
export { EncoderWeights, type EncoderWeightsOptions } from "./encoder_weights.ts";
export {
  type ModelFile,
  type QuantizedMatrix,
  readModelFile,
  readModelHeader,
  SCALE_COLUMNS,
} from "./model_file.ts";
export type {
  LayerAddresses,
  LinearAddresses,
  NormAddresses,
  SharedWeights,
  WeightAddresses,
} from "./shared_weights.ts";
export {
  type Architecture,
  type ByteRange,
  type ModelDescription,
  type ModelHeader,
  type TensorEntry,
  type TokenizerHeader,
} from "./model_header.ts";
export { encodeModelFile, type ModelContent } from "./model_writer.ts";
export { encoderTensors, type TensorType } from "./tensors.ts";
