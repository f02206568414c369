import { assert, assertEquals } from "@std/assert";
import { decodeText } from "../../../src/extraction/encoding/decode.ts";
import { decodeWith } from "../../../src/extraction/encoding/guess.ts";

/** Sentences about tea with the letters that tell the encodings of a language apart. */
const SENTENCES: readonly (readonly [encodings: string, sentence: string])[] = [
  [
    "windows-1252 iso-8859-15 macintosh cp850 cp437 cp273 cp500",
    "Für den grünen Tee müssen Sie das Wasser abkühlen lassen; schütten Sie es dann über die Blätter. ",
  ],
  [
    "windows-1252 iso-8859-15 macintosh cp850 cp037 cp1047",
    "L’été dernier, nous avons goûté un thé très parfumé près de la forêt où l’on récoltait des châtaignes. "
      .replaceAll("’", "'"),
  ],
  [
    "windows-1250 iso-8859-2 cp852",
    "Zażółć gęślą jaźń: świeża herbata powinna parzyć się krótko, a później odpocząć w ciepłym dzbanku. ",
  ],
  [
    "windows-1250 iso-8859-2 cp852",
    "Příliš žluťoučký kůň úpěl ďábelské ódy, když šálek horkého čaje stál na dřevěném stole u okna. ",
  ],
  [
    "windows-1250 iso-8859-2 cp852",
    "Az árvíztűrő tükörfúrógép mellett egy csésze gőzölgő tea várta a fáradt szerelőt, aki örült neki. ",
  ],
  [
    "windows-1251 koi8-r ibm866 iso-8859-5 x-mac-cyrillic",
    "Горячий чай следует заваривать несколько минут, а потом медленно пить, глядя на осенний дождь. ",
  ],
  [
    "windows-1251 koi8-u",
    "Гарячий чай слід заварювати кілька хвилин, а потім повільно пити, дивлячись на осінній дощ із вікна. ",
  ],
  [
    "windows-1253 iso-8859-7 cp737",
    "Το ζεστό τσάι πρέπει να μείνει λίγα λεπτά στην τσαγιέρα, και μετά το πίνουμε αργά στη βεράντα. ",
  ],
  [
    "windows-1254 cp857",
    "Sıcak çayı birkaç dakika demlemek gerekir; sonra ağır ağır içilir, dışarıda yağmur yağarken bile güzeldir. ",
  ],
  ["windows-1255 iso-8859-8 cp862", "את התה החם צריך לחלוט כמה דקות ואחר כך לשתות לאט מול החלון והגשם. "],
  [
    "windows-1256 iso-8859-6",
    "يجب نقع الشاي الساخن لبضع دقائق ثم شربه ببطء أمام النافذة أثناء المطر الغزير. ",
  ],
  [
    "windows-1257 iso-8859-13",
    "Karštą arbatą reikia užplikyti kelias minutes, o paskui lėtai gerti žiūrint į rudenišką lietų už lango. ",
  ],
  ["windows-874", "ควรแช่ชาร้อนไว้สองสามนาที แล้วค่อยดื่มช้า ๆ หน้าหน้าต่างในวันที่ฝนตก "],
  ["shift_jis euc-jp", "熱いお茶は数分間蒸らしてから、窓の外の雨を眺めながらゆっくりと飲むのがよい。"],
  ["gb18030", "热茶应该泡几分钟，然后一边看着窗外的秋雨，一边慢慢地喝，这样才有味道。"],
  ["big5", "熱茶應該泡幾分鐘，然後一邊看著窗外的秋雨，一邊慢慢地喝，這樣才有味道。"],
  ["euc-kr", "뜨거운 차는 몇 분 동안 우려낸 다음 창밖의 가을비를 보면서 천천히 마시는 것이 좋습니다. "],
];

/** Returns the bytes of a text in an encoding, by decoding every one or two bytes. */
function encode(text: string, label: string): Uint8Array {
  let bytes = encoders.get(label);
  if (!bytes) {
    bytes = new Map();
    for (let byte = 0; byte < 256; byte++) {
      const character = decodeWith(Uint8Array.of(byte), label);
      if (character.length === 1 && character !== "\ufffd" && !bytes.has(character)) {
        bytes.set(character, [byte]);
      }
    }
    if (/^(?:shift|euc|gb|big5)/.test(label)) {
      for (let lead = 0x81; lead < 0xff; lead++) {
        for (let trail = 0x40; trail < 0xff; trail++) {
          const [first, ...rest] = decodeWith(Uint8Array.of(lead, trail), label);
          if (first && rest.length === 0 && first !== "\ufffd" && !bytes.has(first)) {
            bytes.set(first, [lead, trail]);
          }
        }
      }
    }
    encoders.set(label, bytes);
  }
  return Uint8Array.from(
    Array.from(text).flatMap((character) => {
      const encoded = bytes.get(character);
      assert(encoded, `${label} has no ${character}`);
      return encoded;
    }),
  );
}

const encoders = new Map<string, Map<string, number[]>>();

for (const [encodings, sentence] of SENTENCES) {
  for (const label of encodings.split(" ")) {
    Deno.test(`a short and a long text in ${label} are decoded: ${sentence.slice(0, 20)}`, async () => {
      for (const text of [sentence, `${sentence}\n`.repeat(10)]) {
        const decoded = await decodeText(encode(text, label));
        assertEquals(decoded?.text, text);
        // EBCDIC code pages differ by characters that few texts have.
        assert(label.startsWith("cp") || decoded?.encoding !== undefined);
      }
    });
  }
}

Deno.test("Vietnamese with separate accents is composed", async () => {
  const bytes = Uint8Array.from(
    "Tr\xe0 n\xf3ng ng\xe2m v\xe0i ph\xfat, r\xf4\xcci u\xf4\xecng ch\xe2\xf2m r\xe3i.",
    (c) => c.charCodeAt(0),
  );
  const decoded = await decodeText(bytes, "windows-1258");
  assertEquals(
    decoded?.text.normalize("NFC"),
    "Trà nóng ngâm vài phút, rồi uống châ\u0323m răi.".normalize("NFC"),
  );
});

Deno.test("a few letters are doubtful, and a sentence is certain", async () => {
  const short = await decodeText(Uint8Array.of(0x61, 0xb1, 0x20, 0xe6));
  assert(short && (short.confidence ?? 1) < 0.9);
  assert(short.warnings[0]?.includes("guessed"));
  const long = await decodeText(encode(SENTENCES[2]![1], "windows-1250"));
  assertEquals([long?.warnings, long?.encoding], [[], "windows-1250"]);
});

Deno.test("a declared encoding is used unless the bytes contradict it", async () => {
  const czech = encode(SENTENCES[3]![1], "iso-8859-2");
  assertEquals((await decodeText(czech, "iso-8859-2"))?.warnings, []);
  const wrong = await decodeText(czech, "windows-1252");
  assertEquals(wrong?.text, SENTENCES[3]![1]);
  assert(wrong?.warnings[0]?.includes("windows-1252"));
  const greek = encode(SENTENCES[7]![1], "windows-1253");
  assertEquals((await decodeText(greek, "utf-8"))?.text, SENTENCES[7]![1]);
});

Deno.test("the encoding of a few words in a long ASCII text is guessed from their lines", async () => {
  const text = "plain words of a log file\n".repeat(4000) + SENTENCES[5]![1] + "\nmore\n".repeat(4000);
  assertEquals((await decodeText(encode(text, "windows-1251")))?.text, text);
});
