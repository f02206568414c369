/**
 * `deno run -A scripts/sbom.ts`: prints a software bill of materials (CycloneDX 1.6) of the program: Deno, the npm
 * packages that the program contains, and the embedding model.
 *
 * @module
 */
import { z } from "zod";
import { DEFAULT_MODEL, findModel } from "../src/models/mod.ts";
import { print } from "./print.ts";

/** Packages that the program does not contain: only scripts and tests import them, or src imports their types. */
export const DEVELOPMENT: readonly string[] = [
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
  "@tesseract.js-data/eng",
  "gpt-tokenizer",
  "linkedom",
  "wabt",
];

const LockFile = z.object({
  specifiers: z.record(z.string(), z.string()),
  npm: z.record(
    z.string(),
    z.object({ integrity: z.string(), dependencies: z.array(z.string()).default([]) }),
  ),
});

/** A software component, in the terms of CycloneDX. */
export interface Component {
  readonly type: "library" | "platform" | "machine-learning-model";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: "SHA-256" | "SHA-512"; readonly content: string }[];
  readonly licenses?: readonly { readonly license: { readonly id: string } }[];
}

/** Returns the embedding model that executables contain. */
export function modelComponent(): Component {
  const model = findModel(DEFAULT_MODEL);
  if (model?.sha256 === undefined) throw new Error(`The catalogue must contain ${DEFAULT_MODEL}`);
  const { name, revision, origin, license, sha256 } = model;
  return {
    type: "machine-learning-model",
    name,
    version: revision,
    purl: `pkg:huggingface${new URL(origin).pathname}@${revision}`,
    hashes: [{ alg: "SHA-256", content: sha256 }],
    licenses: [{ license: { id: license } }],
  };
}

/**
 * Lists the npm packages that the program contains, sorted by name and version.
 *
 * @param lockFile Text of deno.lock, version 5.
 * @throws {z.ZodError} When the lock file has another format.
 */
export function npmComponents(lockFile: string): Component[] {
  const { specifiers, npm } = LockFile.parse(JSON.parse(lockFile));
  const roots = Object.entries(specifiers).flatMap(([specifier, resolved]) => {
    const name = specifier.replace(/^npm:/, "").replace(/(?<=.)@.*$/, "");
    return DEVELOPMENT.includes(name) ? [] : [`${name}@${resolved}`];
  });
  const found = new Set<string>();
  const add = (reference: string) => {
    // A dependency has no version where the lock file holds only one. A key may end in "_" and its peer dependencies.
    const key = Object.keys(npm).find((key) =>
      key === reference || key.startsWith(`${reference}_`) || key.replace(/(?<=.)@.*$/, "") === reference
    );
    if (key === undefined) throw new Error(`deno.lock must contain ${reference}`);
    if (found.has(key)) return;
    found.add(key);
    for (const dependency of npm[key]?.dependencies ?? []) add(dependency);
  };
  for (const root of roots) add(root);
  return [...found].sort().map((key) => npmComponent(key, npm[key]?.integrity ?? ""));
}

function npmComponent(key: string, integrity: string): Component {
  const [, name = "", version = ""] = /^(.+?)@([^@_]+)/.exec(key) ?? [];
  const content = Uint8Array.fromBase64(integrity.replace(/^sha512-/, "")).toHex();
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [{ alg: "SHA-512", content }],
  };
}

if (import.meta.main) {
  const { name, version } = JSON.parse(await Deno.readTextFile("deno.json"));
  const deno = (await Deno.readTextFile(".dvmrc")).trim();
  const sbom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version, licenses: [{ license: { id: "MIT" } }] } },
    components: [
      { type: "platform", name: "deno", version: deno, purl: `pkg:github/denoland/deno@v${deno}` },
      ...npmComponents(await Deno.readTextFile("deno.lock")),
      // The program contains data of this package.
      ...npmComponents(await Deno.readTextFile("scripts/eld.lock")),
      modelComponent(),
    ],
  };
  print(JSON.stringify(sbom, null, 2));
}
