/** Trie over bytes: children by label, and the value of the key that ends here. */
interface Node {
  readonly children: Map<number, Node>;
  value?: number;
}

/** Number of units that one node of the double array may use: one for each label. */
const BLOCK = 256;

/**
 * Compiles a map of characters in the format of SentencePiece. Each node has a block of its own, which is
 * simpler and larger than the arrays of the original.
 */
export function charsmapBytes(map: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const root: Node = { children: new Map() };
  const replacements: number[] = [];
  for (const [key, replacement] of Object.entries(map)) {
    let node = root;
    for (const byte of new TextEncoder().encode(key)) {
      if (!node.children.has(byte)) node.children.set(byte, { children: new Map() });
      node = node.children.get(byte)!;
    }
    node.value = replacements.length;
    replacements.push(...new TextEncoder().encode(replacement), 0);
  }
  const units: number[] = [0];
  place(root, 0, units);
  const trie = Uint32Array.from({ length: units.length }, (_, i) => units[i] ?? 0);
  return Uint8Array.from([
    ...new Uint8Array(Uint32Array.of(trie.byteLength).buffer),
    ...new Uint8Array(trie.buffer),
    ...replacements,
  ]);
}

function place({ children, value }: Node, index: number, units: number[]): void {
  const block = Math.ceil(units.length / BLOCK) * BLOCK;
  units[block + BLOCK - 1] = 0;
  units[index] = (units[index] ?? 0) | (index ^ block) << 10 | (value === undefined ? 0 : 1 << 8);
  if (value !== undefined) units[block] = (1 << 31 | value) >>> 0;
  for (const label of children.keys()) units[block ^ label] = label;
  for (const [label, child] of children) place(child, block ^ label, units);
}
