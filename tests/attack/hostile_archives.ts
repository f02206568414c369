/**
 * Archives that unpack to far more than their size, contain each other, or name files outside of themselves.
 *
 * @module
 */
import { gzipSync, strToU8, zipSync } from "fflate";
import type { HostileFile } from "./hostile_samples.ts";

const MiB = 2 ** 20;

type Bytes = Uint8Array<ArrayBuffer>;

function zip(entries: Record<string, Uint8Array>): Bytes {
  return zipSync(entries, { level: 1 });
}

/** Returns archives inside of archives: `width` of them on each of `depth` levels, around 10 MiB of zeros. */
function nestedZip(depth: number, width: number): Bytes {
  let inner = zip({ "zeros.txt": new Uint8Array(10 * MiB).fill(0x30) });
  for (let level = 0; level < depth; level++) {
    inner = zip(Object.fromEntries(Array.from({ length: width }, (_, i) => [`${level}-${i}.zip`, inner])));
  }
  return inner;
}

/** File names that lead out of a folder, or that no file system accepts. */
const ESCAPING_NAMES = [
  "../../../../var/lib/kb-mcp-escaped.txt",
  "/var/lib/kb-mcp-escaped.txt",
  "..\\..\\kb-mcp-escaped.txt",
  "C:\\kb-mcp-escaped.txt",
  "//host/share/kb-mcp-escaped.txt",
  "folder/./../../kb-mcp-escaped.txt",
  "nul\0name.txt",
  "\u202etxt.exe",
  `${"long".repeat(100)}.txt`,
  "CON.txt",
  ".env",
  "",
];

/** Files that {@linkcode ESCAPING_NAMES} would create if a name were used as a path. */
export const ESCAPED_PATHS = ["/var/lib/kb-mcp-escaped.txt"];

function escapingZip(): Bytes {
  return zip(
    Object.fromEntries(
      ESCAPING_NAMES.map((name, i) => [name, strToU8(`The text of the escaped file ${i}.`)]),
    ),
  );
}

/** Returns a tar member; the checksum of its header is valid. */
function tarMember(name: string, content: Uint8Array, { size = content.length, type = "0", link = "" } = {}) {
  const member = new Uint8Array(512 + 512 * Math.ceil(content.length / 512));
  const field = (offset: number, value: string) => member.set(strToU8(value), offset);
  field(0, name.slice(0, 100));
  field(100, "0000644\0");
  field(124, `${size.toString(8).padStart(11, "0").slice(-11)}\0`);
  field(148, "        ");
  field(156, type);
  field(157, link);
  field(257, "ustar\x0000");
  field(
    148,
    `${member.subarray(0, 512).reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `,
  );
  member.set(content, 512);
  return member;
}

function tar(...members: Uint8Array[]): Bytes {
  return concat([...members, new Uint8Array(1024)]);
}

function concat(parts: readonly Uint8Array[]): Bytes {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}

function escapingTar(): Bytes {
  return tar(
    ...ESCAPING_NAMES.filter((name) => name !== "").map((name, i) => tarMember(name, strToU8(`Text ${i}.`))),
    tarMember("link.txt", new Uint8Array(), { type: "2", link: "/etc/passwd" }),
    tarMember("hard.txt", new Uint8Array(), { type: "1", link: "../../../etc/passwd" }),
    tarMember("device.txt", new Uint8Array(), { type: "3" }),
  );
}

/** A member that claims to be larger than its archive. */
function lyingTar(): Bytes {
  return tar(tarMember("a.txt", strToU8("Text."), { size: 8 ** 11 - 1 }));
}

/** A central directory that lists the same member again and again. */
function overlappingZip(): Bytes {
  const archive = zip({ "a.txt": new Uint8Array(8 * MiB).fill(0x61) });
  const view = new DataView(archive.buffer);
  const end = archive.length - 22;
  const start = view.getUint32(end + 16, true);
  const entry = archive.slice(start, end);
  const copies = 2000;
  const trailer = archive.slice(end);
  const trailerView = new DataView(trailer.buffer);
  trailerView.setUint16(8, copies, true);
  trailerView.setUint16(10, copies, true);
  trailerView.setUint32(12, copies * entry.length, true);
  return concat([archive.slice(0, start), ...Array.from({ length: copies }, () => entry), trailer]);
}

/** Generates one hostile archive of every kind. */
export function hostileArchives(): HostileFile[] {
  const many = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, i) => [`${i}.txt`, strToU8(`Text ${i}`)]),
  );
  return [
    { name: "bomb.zip", content: zip({ "zeros.txt": new Uint8Array(400 * MiB).fill(0x30) }) },
    {
      name: "bomb.gz",
      content: new Uint8Array(gzipSync(new Uint8Array(400 * MiB).fill(0x30), { level: 1 })),
    },
    { name: "wide.zip", content: nestedZip(4, 10) },
    { name: "deep.zip", content: nestedZip(60, 1) },
    { name: "overlapping.zip", content: overlappingZip() },
    { name: "entries.zip", content: zip(many) },
    { name: "escaping.zip", content: escapingZip() },
    { name: "escaping.tar", content: escapingTar() },
    { name: "lying.tar", content: lyingTar() },
    { name: "random.tgz", content: concat([gzipSync(strToU8("text")).slice(0, 20), new Uint8Array(512)]) },
  ];
}
