/**
 * Lines of mdoc: macros whose arguments are macros, too.
 *
 * @module
 */

/** Enclosures of the rest of a line. */
const ENCLOSED: Readonly<Record<string, readonly [open: string, close: string]>> = {
  Op: ["[", "]"],
  Bq: ["[", "]"],
  Pq: ["(", ")"],
  Brq: ["{", "}"],
  Aq: ["<", ">"],
  Dq: ["“", "”"],
  Qq: ['"', '"'],
  Sq: ["‘", "’"],
  Ql: ["‘", "’"],
};
/** Starts and ends of enclosures that reach over lines. */
const OPEN: Readonly<Record<string, string>> = {
  Oo: "[",
  Bo: "[",
  Po: "(",
  Bro: "{",
  Ao: "<",
  Do: "“",
  Qo: '"',
  So: "‘",
};
const CLOSE: Readonly<Record<string, string>> = {
  Oc: "]",
  Bc: "]",
  Pc: ")",
  Brc: "}",
  Ac: ">",
  Dc: "”",
  Qc: '"',
  Sc: "’",
};
/** Macros for names of systems. */
const NAMES: Readonly<Record<string, string>> = {
  Ux: "UNIX",
  Bx: "BSD",
  Bsx: "BSD/OS",
  Fx: "FreeBSD",
  Nx: "NetBSD",
  Ox: "OpenBSD",
  Dx: "DragonFly",
  At: "AT&T UNIX",
};
/** Macros whose arguments are their text. */
const PLAIN = new Set(
  "Ad An Ar Cd Cm Dl D1 Dv Em Er Ev Fa Fd Fr Ft Hf Ic In Li Ms Mt Nm No Pa Sx Sy Tn Va Vt Xo Xc Es En Eo Ec Ta Bk Ek St Lb Pf Ns Ap Fl Fn Xr Lk Nd"
    .split(" "),
);

/** Whether a name is a macro in the arguments of another one. */
function isMacro(name: string): boolean {
  return PLAIN.has(name) || [ENCLOSED, OPEN, CLOSE, NAMES].some((names) => Object.hasOwn(names, name));
}

/**
 * Returns the text of a line.
 *
 * @param tokens The macro, and its arguments with resolved escapes.
 * @param options.name Name of the page, which `Nm` without arguments stands for.
 */
export function mdocLine(tokens: readonly string[], { name }: { readonly name: string }): string {
  const words = [...tokens];
  const trailing: string[] = [];
  while (words.length > 1 && /^[.,:;?!)\]]$/.test(words.at(-1)!)) trailing.unshift(words.pop()!);
  const output: string[] = [];
  const closers: string[] = [];
  let isGlued = true;
  const put = (text: string) => {
    if (text === "") return;
    if (!isGlued && !/^[.,:;?!)\]]$/.test(text)) output.push(" ");
    output.push(text);
    isGlued = /^[(\[]$/.test(text);
  };
  const glue = () => {
    isGlued = true;
  };
  for (let at = 0; at < words.length;) {
    const word = words[at++]!;
    if (!isMacro(word)) {
      put(word);
      continue;
    }
    const next = words[at];
    const hasArgument = next !== undefined && !isMacro(next);
    if (Object.hasOwn(ENCLOSED, word)) {
      const [open, close] = ENCLOSED[word]!;
      put(open);
      glue();
      closers.unshift(close);
    } else if (Object.hasOwn(OPEN, word)) {
      put(OPEN[word]!);
      glue();
    } else if (Object.hasOwn(CLOSE, word)) {
      glue();
      put(CLOSE[word]!);
    } else if (Object.hasOwn(NAMES, word)) put(NAMES[word]!);
    else if (word === "Ns" || word === "Pf") {
      if (word === "Pf" && hasArgument) {
        put(next);
        at++;
      }
      glue();
    } else if (word === "Ap") {
      glue();
      put("'");
      glue();
    } else if (word === "Fl") {
      if (!hasArgument || /^[|.,:;?!()\[\]]$/.test(next)) {
        put("-");
        if (next === "Fl") glue();
      }
      while (at < words.length && !isMacro(words[at]!) && !/^[|.,:;?!()\[\]]$/.test(words[at]!)) {
        put(`-${words[at++]}`);
      }
    } else if (word === "Ar" && !hasArgument) put("file ...");
    else if (word === "Nm" && !hasArgument) put(name);
    else if (word === "Xr" && hasArgument) {
      at++;
      const section = words[at];
      if (section !== undefined && /^[1-9n]\w{0,8}$/.test(section)) {
        at++;
        put(`${next}(${section})`);
      } else put(next);
    } else if (word === "Fn" && hasArgument) {
      at++;
      const parameters: string[] = [];
      while (at < words.length && !isMacro(words[at]!)) parameters.push(words[at++]!);
      put(`${next}(${parameters.join(", ")})`);
    } else if (word === "Lk" && hasArgument) {
      at++;
      const label = words.slice(at).join(" ");
      at = words.length;
      put(label === "" ? next : `${label} (${next})`);
    } else if (word === "Nd") put("–");
    else if (word === "In" && hasArgument) {
      at++;
      put(`<${next}>`);
    }
  }
  glue();
  for (const close of [...closers, ...trailing]) output.push(close);
  return output.join("");
}
