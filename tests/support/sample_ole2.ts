const SECTOR = 512;
const END = 0xfffffffe;
const FREE = 0xffffffff;
const FAT_SECTOR = 0xfffffffd;
/** Shorter streams are kept in the mini stream, which this writer avoids by padding them. */
const MIN_STREAM_BYTES = 4096;

/**
 * Returns an OLE2 compound file ([MS-CFB], version 3) with these streams in its root. Shorter ones are padded with
 * zeros to 4,096 bytes.
 */
export function sampleOle2(streams: Record<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(streams).map(([name, bytes]) => {
    const padded = new Uint8Array(Math.max(bytes.length, MIN_STREAM_BYTES));
    padded.set(bytes);
    return { name, bytes: padded, sectors: Math.ceil(padded.length / SECTOR) };
  });
  const directorySectors = Math.ceil((entries.length + 1) / 4);
  const dataSectors = entries.reduce((sum, { sectors }) => sum + sectors, 0);
  const file = new Uint8Array((2 + directorySectors + dataSectors) * SECTOR);
  const view = new DataView(file.buffer);
  file.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  view.setUint16(26, 3, true);
  view.setUint16(28, 0xfffe, true);
  view.setUint16(30, 9, true);
  view.setUint16(32, 6, true);
  view.setUint32(44, 1, true);
  view.setUint32(48, 1, true);
  view.setUint32(56, MIN_STREAM_BYTES, true);
  view.setUint32(60, END, true);
  view.setUint32(68, END, true);
  for (let i = 0; i < 109; i++) view.setUint32(76 + 4 * i, i === 0 ? 0 : FREE, true);

  // Sector 0 is the FAT, which has 128 addresses; the directory follows.
  for (let i = 0; i < 128; i++) view.setUint32(SECTOR + 4 * i, FREE, true);
  const link = (sector: number, next: number) => view.setUint32(SECTOR + 4 * sector, next, true);
  link(0, FAT_SECTOR);
  for (let i = 1; i <= directorySectors; i++) link(i, i === directorySectors ? END : i + 1);

  const writeEntry = (index: number, name: string, type: number, child: number, right: number) => {
    const at = 2 * SECTOR + 128 * index;
    Array.from(name).forEach((char, i) => view.setUint16(at + 2 * i, char.charCodeAt(0), true));
    view.setUint16(at + 64, 2 * (name.length + 1), true);
    view.setUint8(at + 66, type);
    view.setUint32(at + 68, FREE, true);
    view.setUint32(at + 72, right, true);
    view.setUint32(at + 76, child, true);
    return at;
  };
  const root = writeEntry(0, "Root Entry", 5, entries.length > 0 ? 1 : FREE, FREE);
  view.setUint32(root + 116, END, true);
  let sector = 1 + directorySectors;
  entries.forEach(({ name, bytes, sectors }, i) => {
    const at = writeEntry(i + 1, name, 2, FREE, i + 1 < entries.length ? i + 2 : FREE);
    view.setUint32(at + 116, sector, true);
    view.setUint32(at + 120, bytes.length, true);
    file.set(bytes, (sector + 1) * SECTOR);
    for (let n = 0; n < sectors; n++) link(sector + n, n === sectors - 1 ? END : sector + n + 1);
    sector += sectors;
  });
  return file;
}
