/** Code pages that `TextDecoder` lacks: those of MS-DOS (ASCII below 0x80) and EBCDIC. */

/** Characters of the bytes from 0x80. */
const DOS: Readonly<Record<string, string>> = {
  cp437: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  cp737: "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0",
  cp775: "ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐" +
    "└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0",
  cp850: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  cp852: "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐" +
    "└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  cp855: "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐" +
    "└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u00adыЫзЗшШэЭщЩчЧ§■\u00a0",
  cp857: "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0",
  cp862: "אבגדהוזחטיךכלםמןנסעףפץצקרשת¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
};

/** Characters of the bytes from 0x40; all code pages share the control characters below. */
const EBCDIC: Readonly<Record<string, string>> = {
  cp037:
    " \u00a0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤" +
    "µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×{ABCDEFGHI\u00adôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u009f",
  cp273:
    " \u00a0â{àáãåçñÄ.<(+!&éêëèíîïì~Ü$*);^-/Â[ÀÁÃÅÇÑö,%_>?øÉÊËÈÍÎÏÌ`:#§'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤" +
    "µßstuvwxyz¡¿ÐÝÞ®¢£¥·©@¶¼½¾¬|‾¨´×äABCDEFGHI\u00adô¦òóõüJKLMNOPQR¹û}ùúÿÖ÷STUVWXYZ²Ô\\ÒÓÕ0123456789³Û]ÙÚ\u009f",
  cp500:
    " \u00a0âäàáãåçñ[.<(+!&éêëèíîïìß]$*);^-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤" +
    "µ~stuvwxyz¡¿ÐÝÞ®¢£¥·©§¶¼½¾¬|¯¨´×{ABCDEFGHI\u00adôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u009f",
  cp1047:
    " \u00a0âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);^-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤" +
    "µ~stuvwxyz¡¿Ð[Þ®¬£¥·©§¶¼½¾Ý¨¯]´×{ABCDEFGHI\u00adôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u009f",
};
/** Characters of the EBCDIC control bytes: tab, line end (NEL and LF), form feed and carriage return. */
const EBCDIC_CONTROLS: Readonly<Record<number, string>> = {
  0x05: "\t",
  0x0b: "\v",
  0x0c: "\f",
  0x0d: "\r",
  0x15: "\n",
  0x25: "\n",
};
/** Length of the records of a file without line ends, in bytes: that of a punched card. */
const RECORD_BYTES = 80;

/** Labels of the code pages that {@linkcode decodePage} knows. */
export const CODE_PAGES: ReadonlySet<string> = new Set([...Object.keys(DOS), ...Object.keys(EBCDIC)]);
/** Labels of the EBCDIC code pages. */
export const EBCDIC_PAGES: readonly string[] = Object.keys(EBCDIC);

/** Other names of the code pages, as documents declare them. */
const ALIASES = /^(?:ibm|csibm|cp|ebcdic-cp-|x-ibm|dos-)-?0*(\d{2,4})$/;

/** Returns the label of a code page by one of its names, such as `IBM437`; undefined for another encoding. */
export function codePageNamed(name: string): string | undefined {
  const digits = ALIASES.exec(name.toLowerCase())?.[1];
  if (digits === undefined) return undefined;
  return [`cp${digits}`, `cp${digits.padStart(3, "0")}`].find((label) => CODE_PAGES.has(label));
}

/** Decodes bytes with one of {@linkcode CODE_PAGES}. Records without line ends become lines. */
export function decodePage(bytes: Uint8Array, label: string): string {
  const table = tableOf(label);
  const parts: string[] = [];
  const units = new Uint16Array(Math.min(bytes.length, 8192));
  for (let at = 0; at < bytes.length; at += units.length) {
    const end = Math.min(at + units.length, bytes.length);
    for (let i = at; i < end; i++) units[i - at] = table[bytes[i]!]!;
    parts.push(String.fromCharCode.apply(null, units.subarray(0, end - at) as unknown as number[]));
  }
  const text = parts.join("");
  const isRecords = label in EBCDIC && bytes.length % RECORD_BYTES === 0 && !/[\r\n]/.test(text);
  return isRecords ? text.replace(/.{80}/gsu, (record) => record.trimEnd() + "\n") : text;
}

const tables = new Map<string, Uint16Array>();

/** Returns the code unit of each byte. */
function tableOf(label: string): Uint16Array {
  let table = tables.get(label);
  if (!table) {
    const dos = DOS[label];
    const unitOf = (byte: number) => {
      if (dos !== undefined) return byte < 0x80 ? byte : dos.charCodeAt(byte - 0x80);
      if (byte < 0x40) return (EBCDIC_CONTROLS[byte] ?? "\u0001").charCodeAt(0);
      return EBCDIC[label]!.charCodeAt(byte - 0x40);
    };
    table = Uint16Array.from({ length: 256 }, (_, byte) => unitOf(byte));
    tables.set(label, table);
  }
  return table;
}
