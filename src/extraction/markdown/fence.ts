/** Returns a fenced code block whose fence is longer than any in the code (CommonMark §4.5). */
export function fencedCode(code: string, language = ""): string {
  let ticks = 3;
  for (const [fence] of code.matchAll(/`{3,}/g)) ticks = Math.max(ticks, fence.length + 1);
  const fence = "`".repeat(ticks);
  return `${fence}${language.replace(/[^\w+#.-]/g, "")}\n${code}\n${fence}`;
}
