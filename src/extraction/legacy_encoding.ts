/**
 * Recognises the encodings of East Asia in texts that are too short for statistics, a table of ten names, say: by the
 * share of their double bytes that are everyday characters.
 *
 * @module
 */

/** A range of first bytes and one of second bytes. */
type Zone = readonly [leadFrom: number, leadTo: number, trailFrom: number, trailTo: number];

/** Where the everyday characters of an encoding stand: kana, Hangul, the first level of Han characters. */
interface Encoding {
  readonly label: string;
  readonly leads: (byte: number) => boolean;
  readonly zones: readonly Zone[];
  /** Characters without which it is another encoding of the same bytes. */
  readonly telling?: Zone;
}

// Where two fit equally well, the first one counts.
const ENCODINGS: readonly Encoding[] = [
  {
    label: "shift_jis",
    leads: (byte) => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc),
    zones: [[0x81, 0x84, 0x40, 0xfc], [0x88, 0x97, 0x40, 0xfc], [0x98, 0x98, 0x40, 0x72]],
  },
  {
    label: "euc-jp",
    leads: isHigh,
    zones: [[0xa1, 0xa1, 0xa1, 0xfe], [0xa3, 0xa5, 0xa1, 0xfe], [0xb0, 0xcf, 0xa1, 0xfe]],
    telling: [0xa4, 0xa5, 0xa1, 0xfe], // kana
  },
  { label: "euc-kr", leads: isHigh, zones: [[0xa1, 0xa3, 0xa1, 0xfe], [0xb0, 0xc8, 0xa1, 0xfe]] },
  { label: "gb18030", leads: isHigh, zones: [[0xa1, 0xa3, 0xa1, 0xfe], [0xb0, 0xd7, 0xa1, 0xfe]] },
  { label: "big5", leads: isHigh, zones: [[0xa1, 0xa3, 0x40, 0xfe], [0xa4, 0xc6, 0x40, 0xfe]] },
];

function isHigh(byte: number): boolean {
  return byte >= 0x81 && byte <= 0xfe;
}

/**
 * The encoding in which nearly all double bytes of a sample are everyday characters, with the others left to statistics.
 *
 * @returns A label for `TextDecoder`; undefined if none fits, or if double bytes stand alone between ASCII, as the
 * accented letters and quotation marks of Western encodings do.
 */
export function sniffEastAsian(sample: Uint8Array): string | undefined {
  let best: { label: string; share: number } | undefined;
  for (const encoding of ENCODINGS) {
    const { pairs, common, telling, neighbours } = countPairs(sample, encoding);
    const share = common / pairs;
    const fits = pairs >= 2 && share >= 0.8 && neighbours >= pairs / 3 && telling >= pairs / 5;
    if (fits && share > (best?.share ?? 0)) best = { label: encoding.label, share };
  }
  return best?.label;
}

function countPairs(sample: Uint8Array, { leads, zones, telling }: Encoding) {
  const counts = { pairs: 0, common: 0, telling: 0, neighbours: 0 };
  let previousEnd = -1;
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i]!;
    if (lead < 0x80) continue;
    counts.pairs++;
    if (!leads(lead)) continue;
    const trail = sample[i + 1] ?? 0;
    const isIn = ([a, b, c, d]: Zone) => lead >= a && lead <= b && trail >= c && trail <= d;
    if (zones.some(isIn)) counts.common++;
    if (telling === undefined || isIn(telling)) counts.telling++;
    if (previousEnd === i) counts.neighbours++;
    i++;
    previousEnd = i + 1;
  }
  return counts;
}
