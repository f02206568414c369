/// <reference lib="deno.worker" />
import { Encoder, type SharedWeights } from "../../src/encoder/mod.ts";

self.onmessage = (
  { data: { weights, text } }: MessageEvent<{ weights: SharedWeights; text: Uint32Array }>,
) => {
  self.postMessage(new Encoder(weights).encode([text]));
};
