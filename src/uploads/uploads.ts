import type { PutRange, StagedFile, UploadRequest, UploadsOptions, UploadState } from "./types.ts";

/** Uploads in progress. Under construction: the signatures are final. */
export class Uploads implements AsyncDisposable {
  static open(_options: UploadsOptions): Promise<Uploads> {
    throw new Error("not built yet");
  }
  start(_caller: string, _request: UploadRequest): Promise<UploadState & { capability: string }> {
    throw new Error("not built yet");
  }
  putChunk(_caller: string, _uploadId: string, _index: number, _base64: string): Promise<UploadState> {
    throw new Error("not built yet");
  }
  putRange(_capability: string, _range: PutRange, _body: ReadableStream<Uint8Array>): Promise<UploadState> {
    throw new Error("not built yet");
  }
  finish<T>(_caller: string, _uploadId: string, _send: (file: StagedFile) => Promise<T>): Promise<T> {
    throw new Error("not built yet");
  }
  abort(_caller: string, _uploadId: string): Promise<void> {
    throw new Error("not built yet");
  }
  sweep(): Promise<number> {
    throw new Error("not built yet");
  }
  get active(): { uploads: number; bytes: number } {
    throw new Error("not built yet");
  }
  [Symbol.asyncDispose](): Promise<void> {
    throw new Error("not built yet");
  }
}
