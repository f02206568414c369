import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib";

/** Formats of a backup. */
export type Compression = "none" | "gzip" | "zstd";

/** First bytes of files: of gzip (RFC 1952), zstd (RFC 8878) and SQLite. */
const MAGIC: readonly (readonly [Compression, readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["none", [...new TextEncoder().encode("SQLite format 3\0")]],
];

/** Returns the compression that the name of a backup asks for: none for `.db`, gzip for `.gz`, otherwise zstd. */
export function compressionOf(file: string): Compression {
  if (/\.(?:db|sqlite3?)$/i.test(file)) return "none";
  return /\.gz$/i.test(file) ? "gzip" : "zstd";
}

/** Returns the compression of a file; undefined: it is no backup. */
export function detectCompression(path: string): Compression | undefined {
  using file = Deno.openSync(path);
  const head = new Uint8Array(16);
  const length = file.readSync(head) ?? 0;
  return MAGIC.find(([, bytes]) =>
    bytes.length <= length && bytes.every((byte, index) => head[index] === byte)
  )
    ?.[0];
}

/** Compresses a file to a new one, and checks that it decompresses to the same bytes. */
export async function compressFile(from: string, to: string, compression: "gzip" | "zstd"): Promise<void> {
  const expected = createHash("sha256");
  const source = createReadStream(from).on("data", (bytes) => expected.update(bytes));
  await pipeline(source, compressor(compression), createWriteStream(to, { flags: "wx", mode: 0o600 }));
  const actual = createHash("sha256");
  // Not an async iterator, which Deno sometimes ends with an AbortError after the last bytes.
  const check = new Writable({
    write(bytes: Uint8Array, _encoding, done) {
      actual.update(bytes);
      done();
    },
  });
  await pipeline(createReadStream(to), decompressor(compression), check);
  if (actual.digest("hex") !== expected.digest("hex")) throw new Error("The compressed copy differs");
}

/** Writes the decompressed content of a file to a new one, readable by its owner only. */
export async function decompressFile(from: string, to: string, compression: Compression): Promise<void> {
  const target = createWriteStream(to, { flags: "wx", mode: 0o600 });
  if (compression === "none") {
    await pipeline(createReadStream(from), target);
  } else {
    const decompress = decompressor(compression);
    await withThrownErrors((signal) => pipeline(createReadStream(from), decompress, target, { signal }));
  }
}

/** Runs `decompress`. Deno throws some errors of zstd outside of the stream, where only this event reports them. */
async function withThrownErrors(decompress: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const thrown = new AbortController();
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    thrown.abort(event.error);
  };
  addEventListener("error", onError);
  try {
    await decompress(thrown.signal);
  } finally {
    removeEventListener("error", onError);
  }
}

function compressor(compression: "gzip" | "zstd"): Transform {
  if (compression === "gzip") return createGzip();
  // With a checksum, which gzip always has.
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function decompressor(compression: "gzip" | "zstd"): Transform {
  return compression === "gzip" ? createGunzip() : createZstdDecompress();
}
