/** Maximum number of lines that are searched for the title. */
const MAX_LINES = 2_000;

/**
 * Whether a text is a manual page: before its title (`.TH` or `.Dd`), it consists of requests and definitions of macros.
 * A name such as `report.1` says nothing. A page that only names another file (`.so man1/ls.1`) is one, too.
 *
 * @param head Start of the text.
 */
export function isManPage(head: string): boolean {
  if (!/^(?:\ufeff|\xef\xbb\xbf)?\s{0,100}(?:[.']|\\["#])/.test(head)) return false;
  let end: string | undefined;
  let at = 0;
  for (let count = 0; count < MAX_LINES && at < head.length; count++) {
    const newline = head.indexOf("\n", at);
    const line = head.slice(at, Math.min(newline < 0 ? head.length : newline, at + 500))
      .replace(/^(?:\ufeff|\xef\xbb\xbf)/, "");
    at = newline < 0 ? head.length : newline + 1;
    const [, name = "", argument = ""] =
      /^[.'][ \t]{0,20}([A-Za-z0-9.]{1,10})[ \t]{0,20}(\S{0,200})/.exec(line) ?? [];
    if (end !== undefined) {
      if (name === end) end = undefined;
    } else if (name === "TH" || name === "Dd") return argument !== "";
    else if (name === "so") return /^man[1-9n]\/\S+$/.test(argument);
    else if (/^(?:de|am|de1|am1|ig)$/.test(name)) end = name === "ig" && argument !== "" ? argument : ".";
    // A path after a full stop is a shell script that reads another one.
    else if (!/^[.'\\](?![ \t]{0,20}[/~$])/.test(line) && line.trim() !== "") return false;
  }
  return false;
}
