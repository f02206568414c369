import { assertEquals } from "@std/assert";
import { codeOutline } from "../../../src/extraction/code/outline.ts";

/** Returns the outline as lines that are indented by level. */
function outlineOf(code: string, extension: string): string[] {
  return codeOutline(code, extension).map(({ level, title }) => `${"  ".repeat(level - 1)}${title}`);
}

const CASES: readonly (readonly [extension: string, code: string, outline: readonly string[]])[] = [
  [
    "py",
    "class Pot(Base):\n    @property\n    def boil(self):\n        if x(1):\n            pass\n\nasync def main():\n    def inner():\n        pass\n",
    [
      "class Pot",
      "  def boil",
      "def main",
      "  def inner",
    ],
  ],
  [
    "ts",
    "export interface Tea { a: 1 }\n\nexport class Pot<T> {\n  #heat = 1;\n  async boil(\n    a: string,\n  ): Promise<void> {\n    run(store,\n      (x) => {\n    });\n  }\n  get hot() {\n    return 1;\n  }\n}\nexport const pour = async (a: number): Promise<void> => {\n  const local = () => {\n  };\n};\nexport default function main() {}\ntype A = string;\ndescribe('x', () => {\n});\n",
    [
      "interface Tea",
      "class Pot",
      "  boil",
      "  get hot".replace("get ", ""),
      "pour",
      "function main",
      "type A",
    ],
  ],
  [
    "java",
    "package a;\n@Service\npublic class Pot extends A {\n    private int x = f(1);\n    public Pot(int x) {\n    }\n    @Override\n    protected List<String> boil(\n        int a) throws E {\n        call(a,\n            b);\n    }\n    enum Kind { A }\n}\n",
    [
      "class Pot",
      "  Pot",
      "  boil",
      "  enum Kind",
    ],
  ],
  [
    "go",
    "func (p *Pot) Boil(x int) error {\n\tif x > 0 {\n\t}\n}\n\nfunc main() {\n}\ntype Pot struct {\n}\n",
    ["func Pot.Boil", "func main", "type Pot"],
  ],
  [
    "rs",
    "pub struct Pot;\nimpl<T> Drink for Pot<T> {\n    pub async fn boil(&self) {\n        if x {}\n    }\n}\n",
    ["struct Pot", "impl Drink for Pot<T>", "  fn boil"],
  ],
  [
    "c",
    "#include <a.h>\nstatic int boil(struct pot *p)\n{\n  if (x) {\n    y(1);\n  }\n}\nstruct pot {\n  int a;\n};\nint later(void);\n",
    ["boil", "struct pot"],
  ],
  [
    "cpp",
    "namespace tea {\nclass Pot {\n public:\n  void boil(int x) const {\n  }\n};\nvoid Pot::pour() {\n}\n}\n",
    ["namespace tea", "class Pot", "  boil", "Pot::pour"],
  ],
  ["cs", "namespace Tea;\npublic class Pot\n{\n    public async Task<int> Boil(int x)\n    {\n    }\n}\n", [
    "namespace Tea",
    "class Pot",
    "  Boil",
  ]],
  ["rb", "module Tea\n  class Pot\n    def boil!(x)\n    end\n  end\nend\n", [
    "module Tea",
    "  class Pot",
    "    def boil!",
  ]],
  ["php", "<?php\nfinal class Pot\n{\n    public static function boil(int $x): void\n    {\n    }\n}\n", [
    "class Pot",
    "  function boil",
  ]],
  ["kt", "data class Pot(val x: Int) {\n    override fun boil(): Int {\n    }\n}\nfun String.pour() = 1\n", [
    "class Pot",
    "  fun boil",
    "fun pour",
  ]],
  ["swift", "public struct Pot {\n    init(x: Int) {\n    }\n    func boil() -> Int {\n    }\n}\n", [
    "struct Pot",
    "  init",
    "  func boil",
  ]],
  ["sh", "boil() {\n  echo hot\n}\nfunction pour {\n}\n", ["boil", "function pour"]],
  [
    "sql",
    "CREATE TABLE IF NOT EXISTS pots (\n id INT);\ncreate or replace function boil() returns int as $$\n",
    ["table pots", "function boil"],
  ],
];

for (const [extension, code, outline] of CASES) {
  Deno.test(`the outline of .${extension} code has its functions, classes and methods`, () => {
    assertEquals(outlineOf(code, extension), outline);
  });
}

Deno.test("comments and decorators above a definition belong to it", () => {
  const code = "import a\n\n# About boiling.\n@cached\ndef boil():\n    pass\n";
  assertEquals(codeOutline(code, "py"), [{ start: 10, level: 1, title: "def boil" }]);
});

Deno.test("minified code and unknown languages have no outline", () => {
  assertEquals(codeOutline(`function a(){};${"x=1;".repeat(1000)}`, "js"), []);
  assertEquals(codeOutline("def boil():\n", "xyz"), []);
});

Deno.test("hostile lines are matched in bounded time", () => {
  for (
    const line of [
      "public ".repeat(60),
      "a<".repeat(200),
      "(".repeat(400),
      "x ".repeat(240),
      "* ".repeat(240),
      "const a: b".repeat(40),
    ]
  ) {
    for (const extension of ["ts", "java", "cpp", "kt", "rs", "hs"]) {
      codeOutline(`${line}\n`.repeat(20), extension);
    }
  }
});
