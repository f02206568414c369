import { assertEquals } from "@std/assert";
import { isLegible } from "../../src/extraction/legibility.ts";

const PROSE =
  "The keeper of the lighthouse writes down the wind, the height of the waves and the number of ships that pass " +
  "between sunset and sunrise, and posts the sheet to the harbour office at the end of every month.";

/** Text as the numbers of its glyphs, which most TrueType fonts have at this distance from ASCII. */
const shifted = (text: string) =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 29));

const ILLEGIBLE: [what: string, text: string][] = [
  ["glyph numbers in order of use", "% 3* (-./5)& !,+ '\"3"],
  ["glyph numbers of a TrueType font", shifted(PROSE)],
  ["replacement characters", "\ufffd\ufffd\ufffd of \ufffd\ufffd\ufffd\ufffd the \ufffd\ufffd"],
  ["private use", "\ue001\ue002\ue003 \ue004\ue005\ue001\ue002"],
  ["control characters", "\x01\x02\x03 \x04\x02\x05\x01 \x06\x07\x02 a"],
  [
    "a cipher",
    PROSE.replace(/[a-z]/gi, (char) => "qwrtpsdfghjklzxcvbnm"[char.toLowerCase().charCodeAt(0) % 20]!),
  ],
  [
    "a cipher with vowels",
    "Kud lddwdq za kud irxukuzhnd bqrkdn gzbc kud brcg, kud udrxuk za kud bpedn pcg kud chfmdq za nurwn kupk wpnn " +
    "mdkbddc nhcndk pcg nhcqrnd, pcg wznkn kud nuddk kz kud upqmzhq zaarjd pk kud dcg za dedqv fzcku.",
  ],
  ["numbers of glyphs read as Unicode", "ѤԱب԰ࡁ ॷѥఓ ԲبҼऔ ӕאबఇ ѪԵبग"],
];
for (const [what, text] of ILLEGIBLE) {
  Deno.test(`isLegible rejects ${what}`, () => assertEquals(isLegible(text), false));
}

const LEGIBLE: [what: string, text: string][] = [
  ["prose", PROSE],
  ["a short text", "1/2"],
  ["a table of numbers", "12.50 | 13.25 | -4.75\n(1,200) $3.50 | 99.9 %\n11:30 12:45 2024-03-01"],
  [
    "code",
    "for (int i=0;i<n;++i){a[i]+=b[i]*c[i];}\nif(!(x&&y)||z){return -1;}\nwhile(*p++=*q++);\n#define X(a) (((a)<<2)|1)",
  ],
  ["Perl", 'my ($x,@y)=@_; $x=~s/^\\s+|\\s+$//g; print "$_\\n" for grep {!$seen{$_}++} @y;'],
  [
    "assembly",
    "mov rax, [rbp-8]\npushq %rbp\nsubq $16, %rsp\nleaq str(%rip), %rdi\ncallq printf\nxorl %eax, %eax",
  ],
  ["formulae", "∑ᵢ₌₁ⁿ xᵢ² ≤ ∫₀^∞ e^{-x²} dx = √π/2, ∀ε>0 ∃δ>0: |x−y|<δ ⇒ |f(x)−f(y)|<ε"],
  [
    "macros without vowels",
    "\\def\\pxrr@pre##1{\\pxrr@fst}\\pxrr@nxt\\pxrr@lst\\let\\pxrr@res\\pxrr@tmp{\\pxrr@prs}}".repeat(3),
  ],
  ["base64", btoa(PROSE)],
  ["a log with base64", `2024-03-01T10:00:00Z INFO token=${btoa(PROSE)} sent to the harbour office`],
  ["hexadecimal", "de ad be ef 00 11 22 33 ff fe 7f 80 0a 0d 1b 5b 33 6d cafe babe f00d dead beef"],
  ["Japanese", "東京都の天気は晴れです。PDFファイルを開いてください。"],
  ["Chinese", "灯塔管理员每天记录风力和浪高。"],
  ["Korean", "등대지기는 매일 바람과 파도의 높이를 기록한다."],
  ["Arabic", "يكتب حارس المنارة سرعة الرياح وارتفاع الأمواج كل يوم"],
  ["Hebrew", "שומר המגדלור רושם את הרוח ואת גובה הגלים"],
  ["Hindi", "प्रकाशस्तंभ का रखवाला हर दिन हवा और लहरों की ऊँचाई लिखता है"],
  ["Thai", "ผู้ดูแลประภาคารจดบันทึกความเร็วลมและความสูงของคลื่นทุกวัน"],
  ["Russian", "Смотритель маяка каждый день записывает ветер и высоту волн"],
  ["Greek", "Ο φαροφύλακας γράφει κάθε μέρα τον άνεμο και το ύψος των κυμάτων"],
  [
    "Czech without vowels",
    "Strč prst skrz krk. Škrt plch z mlh Brd pln skvrn z mrv prv hrd scvrnkl z brzd skrz trs chrp",
  ],
  [
    "German",
    "Rechtschreibprüfungsprogramm Angstschweiß Geschichtsschreibung Weihnachtsschmuck Durchschnitt Herbststurm",
  ],
  ["initials", "BBC CNN HTTP HTTPS TCP UDP DNS SSH SSL TLS XML HTML CSS"],
  [
    "a listing of short names",
    "cmbx cmss cmtt cmbxsl cmbxti cmssi cmssbx cmssdc cmvtt cmcsc cmsltt cmfnt cmdnh cmbrm cmbsy".split(" ")
      .map((name) => `\\DeclareFontShape{OT1}{m}{n}{<9-10> ${name}}{}`).join("\n"),
  ],
  ["a rule of dots", "Contents ........................................ 3"],
  ["an ASCII table", "+-----+-----+\n| a1  | b2  |\n+=====+=====+\n| 1   | 2   |\n+-----+-----+"],
  ["emoji", "😀😀👍👍🎉🎉🎉 ok"],
];
for (const [what, text] of LEGIBLE) {
  Deno.test(`isLegible accepts ${what}`, () => assertEquals(isLegible(text), true));
}
