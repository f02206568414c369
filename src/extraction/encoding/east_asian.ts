/**
 * Detects East Asian encodings of texts that are too short for statistics, such as a table of ten names, by
 * the share of common characters among their double-byte characters.
 *
 * @module
 */

/** A range of lead bytes and a range of trail bytes. */
type ByteRange = readonly [leadFrom: number, leadTo: number, trailFrom: number, trailTo: number];

interface DoubleByteEncoding {
  readonly label: string;
  readonly isLead: (byte: number) => boolean;
  /** Ranges of common characters: kana, Hangul, level-1 kanji or hanzi. */
  readonly common: readonly ByteRange[];
  /** Range of characters that every text contains; rules out other encodings that use the same bytes. */
  readonly required?: ByteRange;
}

/** In order of precedence. */
const ENCODINGS: readonly DoubleByteEncoding[] = [
  {
    label: "shift_jis",
    isLead: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
    common: [[0x81, 0x84, 0x40, 0xfc], [0x88, 0x97, 0x40, 0xfc], [0x98, 0x98, 0x40, 0x72]],
  },
  {
    label: "euc-jp",
    isLead: isHigh,
    common: [[0xa1, 0xa1, 0xa1, 0xfe], [0xa3, 0xa5, 0xa1, 0xfe], [0xb0, 0xcf, 0xa1, 0xfe]],
    required: [0xa4, 0xa5, 0xa1, 0xfe], // kana
  },
  { label: "euc-kr", isLead: isHigh, common: [[0xa1, 0xa3, 0xa1, 0xfe], [0xb0, 0xc8, 0xa1, 0xfe]] },
  { label: "gb18030", isLead: isHigh, common: [[0xa1, 0xa3, 0xa1, 0xfe], [0xb0, 0xd7, 0xa1, 0xfe]] },
  { label: "big5", isLead: isHigh, common: [[0xa1, 0xa3, 0x40, 0xfe], [0xa4, 0xc6, 0x40, 0xfe]] },
];

function isHigh(byte: number): boolean {
  return byte >= 0x81 && byte <= 0xfe;
}

/**
 * Returns the encoding in which at least 80 % of the double-byte characters are common ones, as a label for
 * `TextDecoder`.
 *
 * @returns `undefined` if no encoding fits, or if most double-byte characters are isolated between ASCII, as
 * accented letters and quotation marks of Western encodings are.
 */
export function sniffEastAsian(sample: Uint8Array): string | undefined {
  let likeliest: { label: string; share: number } | undefined;
  for (const encoding of ENCODINGS) {
    const { total, common, required, adjacent } = countDoubleBytes(sample, encoding);
    const share = common / total;
    const fits = total >= 2 && share >= 0.8 && adjacent >= total / 3 && required >= total / 5;
    if (fits && share > (likeliest?.share ?? 0)) likeliest = { label: encoding.label, share };
  }
  return likeliest?.label;
}

function countDoubleBytes(sample: Uint8Array, { isLead, common, required }: DoubleByteEncoding) {
  const counts = { total: 0, common: 0, required: 0, adjacent: 0 };
  let previousEnd = -1;
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i]!;
    if (lead < 0x80) continue;
    counts.total++;
    if (!isLead(lead)) continue;
    const trail = sample[i + 1] ?? 0;
    const isIn = ([a, b, c, d]: ByteRange) => lead >= a && lead <= b && trail >= c && trail <= d;
    if (common.some(isIn)) counts.common++;
    if (required === undefined || isIn(required)) counts.required++;
    if (previousEnd === i) counts.adjacent++;
    i++;
    previousEnd = i + 1;
  }
  return counts;
}
