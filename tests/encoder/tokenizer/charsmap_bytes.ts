/** Trie over bytes: children by label, and the value of the key that ends here. */
interface Node {
  readonly children: Map<number, Node>;
  value?: number;
}

/** Compiles a map of characters in the format of SentencePiece, a double array. */
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
  // Whole blocks of 256 units, so that the child of a unit by any byte is within the array.
  const trie = Uint32Array.from({ length: Math.ceil(units.length / 256) * 256 }, (_, i) => units[i] ?? 0);
  return Uint8Array.from([
    ...new Uint8Array(Uint32Array.of(trie.byteLength).buffer),
    ...new Uint8Array(trie.buffer),
    ...replacements,
  ]);
}

/** Places the children of a node at the first offset where all of their units are free. */
function place({ children, value }: Node, index: number, units: number[]): void {
  const labels = [...children.keys(), ...(value === undefined ? [] : [0])];
  let base = 1;
  while (labels.some((label) => units[base ^ label] !== undefined)) base++;
  units[index] = units[index]! | (index ^ base) << 10 | (value === undefined ? 0 : 1 << 8);
  for (const label of children.keys()) units[base ^ label] = label;
  if (value !== undefined) units[base] = (1 << 31 | value) >>> 0;
  for (const [label, child] of children) place(child, base ^ label, units);
}
