import { crc32, deflateRawSync } from "node:zlib";

const encoder = new TextEncoder();

/** An entry of {@linkcode sampleZip}. Everything is right unless it is given. */
export interface SampleEntry {
  /** Path; bytes for one in another encoding. */
  readonly path: string | Uint8Array<ArrayBuffer>;
  readonly content?: string | Uint8Array<ArrayBuffer>;
  /** General purpose flags. @default {0} */
  readonly flags?: number;
  /** @default {8} deflate */
  readonly method?: number;
  /** Declared size in bytes. */
  readonly declaredBytes?: number;
  /** Upper half of the external attributes: mode of Unix. */
  readonly mode?: number;
}

/** Returns a ZIP archive. */
export function sampleZip(entries: readonly SampleEntry[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const { path, content = "", flags = 0, method = 8, declaredBytes, mode = 0 } of entries) {
    const name = typeof path === "string" ? encoder.encode(path) : path;
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    const data = method === 8 ? new Uint8Array(deflateRawSync(bytes)) : bytes;
    const fields = new DataView(new ArrayBuffer(26));
    const values: [number, 2 | 4, number][] = [
      [0, 2, 20],
      [2, 2, flags],
      [4, 2, method],
      [10, 4, crc32(bytes)],
      [14, 4, data.length],
      [18, 4, declaredBytes ?? bytes.length],
      [22, 2, name.length],
    ];
    for (const [offset, size, value] of values) {
      if (size === 2) fields.setUint16(offset, value, true);
      else fields.setUint32(offset, value, true);
    }
    const common = new Uint8Array(fields.buffer);
    const local = join([encoder.encode("PK\x03\x04"), common, name, data]);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint16(8, mode, true);
    tail.setUint32(10, at, true);
    const madeBy = Uint8Array.of(20, mode === 0 ? 0 : 3);
    directory.push(join([encoder.encode("PK\x01\x02"), madeBy, common, new Uint8Array(tail.buffer), name]));
    parts.push(local);
    at += local.length;
  }
  const central = join(directory);
  const end = new DataView(new ArrayBuffer(18));
  end.setUint16(4, entries.length, true);
  end.setUint16(6, entries.length, true);
  end.setUint32(8, central.length, true);
  end.setUint32(12, at, true);
  return join([...parts, central, encoder.encode("PK\x05\x06"), new Uint8Array(end.buffer)]);
}

/** A member of {@linkcode sampleTar}. */
export interface SampleMember {
  readonly path: string;
  readonly content?: string;
  /** Type flag: `0` file, `2` symbolic link, `x` pax header. @default {"0"} */
  readonly type?: string;
}

/** Returns a TAR archive: POSIX, or of Version 7 without magic bytes. */
export function sampleTar(
  members: readonly SampleMember[],
  { isOld = false }: { isOld?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const blocks = members.flatMap(({ path, content = "", type = "0" }) => {
    const body = encoder.encode(content);
    const header = new Uint8Array(512);
    header.set(encoder.encode(path).subarray(0, 100));
    header.set(encoder.encode("0000644\0"), 100);
    header.set(encoder.encode(`${body.length.toString(8).padStart(11, "0")}\0`), 124);
    header.fill(0x20, 148, 156);
    header.set(encoder.encode(isOld && type === "0" ? "\0" : type), 156);
    if (!isOld) header.set(encoder.encode("ustar\x0000"), 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.set(encoder.encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
    return [header, body, new Uint8Array((512 - body.length % 512) % 512)];
  });
  return join([...blocks, new Uint8Array(1024)]);
}

function join(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
