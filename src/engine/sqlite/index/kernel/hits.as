/** Selects hits by their 64-bit scores. */

/**
 * Writes the 32-bit indexes of the `max` highest scores, the highest first; of equal scores, those of lower indexes.
 * Returns their number.
 */
export function topScores(scores: usize, count: u32, max: u32, out: usize): u32 {
  let n: u32 = 0;
  let threshold: f64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (n == max) {
      const limit = f64x2.splat(threshold);
      // Most are below the threshold.
      for (; i + 4 <= count; i += 4) {
        const at = scores + (<usize> i << 3);
        const isAbove = v128.or(f64x2.gt(v128.load(at), limit), f64x2.gt(v128.load(at, 16), limit));
        if (v128.any_true(isAbove)) break;
      }
      if (i >= count) break;
    }
    const score = load<f64>(scores + (<usize> i << 3));
    if (n == max && score <= threshold) continue;
    let at = n == max ? n - 1 : n++;
    for (; at > 0; at--) {
      const above = load<u32>(out + (<usize> (at - 1) << 2));
      if (load<f64>(scores + (<usize> above << 3)) >= score) break;
      store<u32>(out + (<usize> at << 2), above);
    }
    store<u32>(out + (<usize> at << 2), i);
    threshold = load<f64>(scores + (<usize> load<u32>(out + (<usize> (n - 1) << 2)) << 3));
  }
  return n;
}

/** Returns the number of scores below another. */
export function countBelow(scores: usize, count: u32, limit: f64): u32 {
  const limits = f64x2.splat(limit);
  let counts = i64x2.splat(0);
  let i: u32 = 0;
  // A comparison that is true is -1.
  for (; i + 2 <= count; i += 2) {
    counts = i64x2.sub(counts, f64x2.lt(v128.load(scores + (<usize> i << 3)), limits));
  }
  let n = <u32> i64x2.extract_lane(counts, 0) + <u32> i64x2.extract_lane(counts, 1);
  if (i < count) n += u32(load<f64>(scores + (<usize> i << 3)) < limit);
  return n;
}
