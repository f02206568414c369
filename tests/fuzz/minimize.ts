/** Maximum number of inputs that {@linkcode minimize} tries. */
const MAX_ATTEMPTS = 5000;

/**
 * Returns a smaller input that still fails: removes ranges, large ones first, then replaces bytes by `0`
 * (delta debugging).
 *
 * @param fails Whether an input fails in the same way.
 */
export async function minimize(
  input: Uint8Array<ArrayBuffer>,
  fails: (input: Uint8Array<ArrayBuffer>) => Promise<boolean>,
): Promise<Uint8Array<ArrayBuffer>> {
  let smallest = input;
  let attempts = 0;
  const accept = async (candidate: Uint8Array<ArrayBuffer>): Promise<boolean> => {
    if (++attempts > MAX_ATTEMPTS || !await fails(candidate)) return false;
    smallest = candidate;
    return true;
  };
  for (
    let length = Math.ceil(input.length / 2);
    length > 0;
    length = length === 1 ? 0 : Math.ceil(length / 2)
  ) {
    for (let start = 0; start < smallest.length;) {
      const candidate = Uint8Array.from([
        ...smallest.subarray(0, start),
        ...smallest.subarray(start + length),
      ]);
      if (!await accept(candidate)) start += length;
    }
  }
  const zero = "0".charCodeAt(0);
  for (let at = 0; at < smallest.length; at++) {
    if (smallest[at] !== zero) await accept(smallest.with(at, zero));
  }
  return smallest;
}
