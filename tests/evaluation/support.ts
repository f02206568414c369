/** Files of a test collection by name; `undefined` omits one. */
export type SetFiles = Readonly<Record<string, string | undefined>>;

/** A test collection with duplicate, untitled and empty documents, and a query without judgements. */
export const SMALL_SET: SetFiles = {
  "docs.jsonl": lines([
    { id: "kettle", title: "Kettles", text: "The kettle stands in the cupboard." },
    { id: "train", title: "Night trains", text: "The train to the coast leaves from platform nine." },
    { id: "same-train", title: "Night trains", text: "The train to the coast leaves from platform nine." },
    { id: "untitled", title: "", text: "Bread rises overnight." },
    { id: "title-only", title: "A glossary of engineering", text: "" },
  ]),
  "queries.jsonl": lines([
    { id: "1", text: "Where is the kettle?" },
    { id: "2", text: "When does the train leave?" },
    { id: "3", text: "engineering glossary" },
    { id: "4", text: "a question that nobody has judged" },
  ]),
  "qrels.tsv": "1\tkettle\t1\n1\tbread\t0\n2\ttrain\t1\n2\tsame-train\t1\n3\ttitle-only\t2\n",
};

/** Formats values as JSON lines. */
export function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** Creates a temporary folder with files; disposing removes it. */
export async function setFolder(files: SetFiles): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) continue;
    await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${path}/${name}`, text);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
