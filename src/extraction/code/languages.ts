/** How the definitions of a language look. */
export interface LanguageRules {
  /** Start of a definition in a line without its indentation; the group `name` is its name, `kind` its kind. */
  readonly definitions: readonly RegExp[];
  /** The same for methods, which only classes have: elsewhere they look like calls. */
  readonly members?: readonly RegExp[];
}

const NAME = "(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*)";
/** Words before a parenthesis that start no function. */
const NO_FUNCTION =
  "(?!(?:if|for|while|switch|catch|return|else|new|throw|sizeof|typeof|await|do|using|lock|foreach|defer|go|select|when|synchronized|delete|elif|with|assert|case|super|this|fixed|co_await)\\b)";
const rule = (source: string) => new RegExp(`^${source}`, "u");

const JAVASCRIPT = (): LanguageRules => ({
  definitions: [
    rule(
      `(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?<kind>class|interface|enum|namespace|module)\\s+${NAME}`,
    ),
    rule(`(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:async\\s+)?(?<kind>function)\\s*\\*?\\s*${NAME}`),
    rule(`(?:export\\s+)?(?<kind>type)\\s+${NAME}(?:<[^=]*>)?\\s*=`),
    rule(
      `(?:export\\s+)?(?:const|let|var)\\s+${NAME}\\s*(?::[^=]{1,200})?=\\s*(?:async\\s*)?(?:function\\b|(?:\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)|[\\w$]+)\\s*(?::\\s*[^=]{1,100})?=>)`,
    ),
  ],
  members: [
    rule(
      `(?:(?:public|private|protected|static|readonly|override|abstract|async|get|set|\\*)\\s+)*${NO_FUNCTION}(?<name>[#]?[\\p{L}_$][\\p{L}\\p{N}_$]*)\\s*(?:<[^>]{0,100}>)?\\((?:[^;]*(?:\\{|,|\\())?\\s*$`,
    ),
  ],
});
const MODIFIERS =
  "(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|virtual|async|partial|readonly|synchronized|native|default|unsafe|extern|inline|open|data|suspend|operator|lateinit|companion|inner|actual|expect|external|tailrec|infix|annotation|value|fun|enum|record|implicit|lazy|case|new|required|convenience|mutating|fileprivate|@\\w+(?:\\([^)]*\\))?)\\s+)*";
const JAVA = (): LanguageRules => ({
  definitions: [
    rule(
      `${MODIFIERS}(?<kind>class|interface|enum|record|struct|namespace|@interface)\\s+(?<name>[\\p{L}_$][\\p{L}\\p{N}_$.]*)`,
    ),
  ],
  members: [
    // A method or constructor with its body or parameters on further lines.
    rule(
      `${MODIFIERS}(?:<[^>]{1,100}>\\s+)?${NO_FUNCTION}(?:[\\p{L}_$][\\p{L}\\p{N}_$.<>,?\\[\\]& ]*\\s+)?${NO_FUNCTION}${NAME}\\s*\\((?:[^;=]*(?:\\{|\\)|,|\\(|=>.*))?\\s*$`,
    ),
  ],
});
const C = (): LanguageRules => ({
  definitions: [
    rule(
      `(?:typedef\\s+)?(?:template\\s*<[^>]*>\\s*)?(?<kind>class|struct|union|enum(?:\\s+class)?|namespace)\\s+(?:[A-Z_]+\\s+)?(?<name>[\\p{L}_][\\p{L}\\p{N}_:]*)[^;]*$`,
    ),
    rule(
      `(?:(?:static|inline|extern|virtual|explicit|constexpr|const|unsigned|signed|struct|template\\s*<[^>]*>|friend|__\\w+)\\s+)*${NO_FUNCTION}[\\p{L}_][\\p{L}\\p{N}_:<>,*&\\s]*?[\\s*&]+(?<name>~?[\\p{L}_][\\p{L}\\p{N}_]*(?:::~?[\\p{L}_][\\p{L}\\p{N}_]*)*|(?:\\w+::)*operator\\S{1,3})\\s*\\([^;]*$`,
    ),
    rule(`(?<kind>#define)\\s+${NAME}\\(`),
  ],
});
const PYTHON = (): LanguageRules => ({
  definitions: [rule(`(?:async\\s+)?(?<kind>class|def)\\s+${NAME}`)],
});

/**
 * Rules by extension, made on demand: their expressions take milliseconds to compile, and each thread loads this file.
 * Languages that are not listed have no outline.
 */
const RULES: readonly (readonly [extensions: string, rules: () => LanguageRules])[] = [
  ["js mjs cjs ts mts cts tsx jsx vue svelte", JAVASCRIPT],
  ["java cs", JAVA],
  ["c h cc cpp cxx hpp hh", C],
  ["py nim", PYTHON],
  ["kt kts scala dart", () => ({
    definitions: [
      rule(`${MODIFIERS}(?<kind>class|interface|object|trait|enum|extension|mixin)\\s+${NAME}`),
      rule(`${MODIFIERS.replace("|fun|", "|")}(?<kind>fun|def)\\s+(?:<[^>]*>\\s*)?(?:[\\w<>]+\\.)?${NAME}`),
      rule(
        `${MODIFIERS}${NO_FUNCTION}[\\p{L}_][\\p{L}\\p{N}_<>?, ]*\\s+${NO_FUNCTION}${NAME}\\s*\\([^;=]*\\)\\s*(?:async\\s*)?(?:\\{|=>).*$`,
      ),
    ],
  })],
  ["swift", () => ({
    definitions: [
      rule(
        `${MODIFIERS}(?<kind>class|struct|enum|protocol|extension|actor)\\s+(?<name>[\\p{L}_][\\p{L}\\p{N}_.]*)`,
      ),
      rule(`${MODIFIERS}(?<kind>func)\\s+${NAME}`),
      rule(`${MODIFIERS}(?<name>init)\\??\\s*\\(`),
    ],
  })],
  ["go", () => ({
    definitions: [
      rule(`(?<kind>func)\\s+(?:\\(\\s*\\w*\\s*\\*?(?<owner>\\w+)[^)]*\\)\\s*)?${NAME}`),
      rule(`(?<kind>type)\\s+${NAME}\\s+(?:struct|interface|func|map|\\[|\\w)`),
    ],
  })],
  ["rs zig", () => ({
    definitions: [
      rule(
        `(?:pub(?:\\([^)]*\\))?\\s+)?(?:(?:async|const|unsafe|default|extern\\s+"[^"]*"|inline|export)\\s+)*(?<kind>fn|struct|enum|trait|mod|union|macro_rules!)\\s+${NAME}`,
      ),
      rule(`(?:unsafe\\s+)?(?<kind>impl)(?:<[^{]*?>)?\\s+(?<name>[^{]{1,200}?)\\s*(?:\\{|where|$)`),
      rule(`(?:pub\\s+)?const\\s+${NAME}\\s*=\\s*(?<kind>struct|enum|union)\\b`),
    ],
  })],
  ["php", () => ({
    definitions: [
      rule(
        `${MODIFIERS}(?<kind>class|interface|trait|enum|namespace)\\s+(?<name>[\\p{L}_\\\\][\\p{L}\\p{N}_\\\\]*)`,
      ),
      rule(`${MODIFIERS}(?<kind>function)\\s+&?${NAME}`),
    ],
  })],
  ["rb ex exs", () => ({
    definitions: [
      rule(`(?<kind>class|module|defmodule|defprotocol|defimpl)\\s+(?<name>[\\p{L}_][\\p{L}\\p{N}_:.]*)`),
      rule(`(?<kind>def|defp|defmacro)\\s+(?<name>(?:self\\.)?[\\p{L}_][\\p{L}\\p{N}_]*[?!=]?)`),
    ],
  })],
  ["lua", () => ({
    definitions: [
      rule(`(?:local\\s+)?(?<kind>function)\\s+(?<name>[\\w.:]+)`),
      rule(`(?:local\\s+)?(?<name>[\\w.]+)\\s*=\\s*function\\b`),
    ],
  })],
  ["r", () => ({ definitions: [rule(`(?<name>[\\w.]+)\\s*(?:<-|=)\\s*function\\b`)] })],
  ["jl", () => ({
    definitions: [
      rule(`(?<kind>function|struct|mutable struct|module|macro|abstract type)\\s+(?<name>[\\w.!]+)`),
    ],
  })],
  ["pl pm", () => ({ definitions: [rule(`(?<kind>sub|package)\\s+(?<name>[\\w:]+)`)] })],
  ["sh bash zsh", () => ({
    definitions: [
      rule(`(?:function\\s+)?(?<name>[\\w:.-]+)\\s*\\(\\)\\s*(?:\\{.*|\\(.*)?$`),
      rule(`(?<kind>function)\\s+(?<name>[\\w:.-]+)`),
    ],
  })],
  ["ps1", () => ({ definitions: [rule(`(?<kind>function|class|filter|enum)\\s+(?<name>[\\w:-]+)`)] })],
  ["sql", () => ({
    definitions: [
      /^(?:create|alter)\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|unlogged|global|external)\s+)*(?<kind>table|view|function|procedure|trigger|index|type|sequence|schema|database)\s+(?:if\s+(?:not\s+)?exists\s+)?(?<name>[\w."`[\]]+)/iu,
    ],
  })],
  ["hs", () => ({
    definitions: [
      rule(`(?<kind>data|newtype|type|class|instance|module)\\s+(?<name>[^=]{1,200}?)\\s*(?:=|where|\\(|$)`),
      rule("(?<name>[a-z_][\\w']*)\\s*::"),
    ],
  })],
  ["ml mli fs", () => ({
    definitions: [
      rule(
        `(?<kind>let|module|type|class|val|member)\\s+(?:rec\\s+|inline\\s+|private\\s+)*(?<name>[\\p{L}_][\\p{L}\\p{N}_'.]*)`,
      ),
    ],
  })],
  ["erl", () => ({ definitions: [rule("(?<name>[a-z]\\w*)\\([^)]*\\)\\s*(?:when[^>]*)?->")] })],
  ["clj", () => ({
    definitions: [
      rule("\\((?<kind>defn-?|defmacro|defprotocol|defrecord|deftype|defmulti|ns)\\s+(?<name>\\S+)"),
    ],
  })],
];

const made = new Map<string, LanguageRules>();

/** Returns the rules for an extension. */
export function languageRules(extension: string): LanguageRules | undefined {
  const entry = RULES.find(([extensions]) => extensions.split(" ").includes(extension));
  if (!entry) return undefined;
  const [extensions, make] = entry;
  const rules = made.get(extensions) ?? make();
  made.set(extensions, rules);
  return rules;
}
