import { zipSync } from "fflate";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  type CatalogueModel,
  ensureModel,
  installModel,
  installModelFile,
  ModelError,
  readInstalledModel,
} from "../../src/models/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { CLOSED_URL } from "../support/ports.ts";
import { tinyCheckpoint, writeCheckpoint } from "../support/tiny_checkpoint.ts";
import { tinyModel } from "../support/tiny_model.ts";
import { type Origin, type Respond, startOrigin } from "./origin.ts";

const silent = createLogger("silent");

async function temporaryFolder(): Promise<{ path: string; names: () => string[] } & AsyncDisposable> {
  const folder = await writeCheckpoint({});
  return { ...folder, names: () => [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort() };
}

/** Asserts that an installation from this origin fails and leaves nothing behind. */
async function assertFails(
  respond: Respond,
  code: ModelError["code"],
  message: RegExp,
  change: (model: CatalogueModel) => CatalogueModel = (model) => model,
): Promise<void> {
  await using origin = startOrigin(respond);
  await using folder = await temporaryFolder();
  const catalogue = origin.catalogue.map(change);
  const error = await assertRejects(
    () => installModel("tiny", { folder: folder.path, catalogue }),
    ModelError,
  );
  assertEquals(error.code, code);
  assertMatch(error.message, message);
  assertEquals(folder.names(), []);
}

Deno.test("a model of the catalogue is downloaded, converted and verified", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const progress: number[] = [];
  const { path, name, license } = await installModel("Tiny", {
    folder: `${folder.path}/models`,
    catalogue: origin.catalogue,
    onProgress: (bytes) => progress.push(bytes),
  });
  assertEquals(path, `${folder.path}/models/tiny.kbmodel`);
  assertEquals([name, license, (await readInstalledModel(path)).name], ["tiny", "CC0-1.0", "tiny"]);
  assertEquals(progress.at(-1), Object.values(origin.files).reduce((sum, { length }) => sum + length, 0));
  const names = (await Array.fromAsync(Deno.readDir(`${folder.path}/models`))).map(({ name }) => name);
  assertEquals(names, ["tiny.kbmodel"]);
});

Deno.test("a redirect is followed", async () => {
  await using target = startOrigin();
  await using origin = startOrigin((path) => Response.redirect(`${target.url}${path}`));
  await using folder = await temporaryFolder();
  await installModel("tiny", { folder: folder.path, catalogue: origin.catalogue });
  assertEquals([folder.names(), target.requests.length], [["tiny.kbmodel"], 3]);
});

Deno.test("an origin that fails is named, with the reason", async () => {
  await assertFails(
    () => new Response(null, { status: 404 }),
    "unreachable",
    /^Cannot download http.*config\.json: HTTP status 404$/,
  );
  const gone = (model: CatalogueModel) => ({ ...model, url: CLOSED_URL });
  await assertFails(() => undefined, "unreachable", /^Cannot download http.*config\.json: .*refused/, gone);
});

Deno.test("a connection that is cut fails the installation", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const cut = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(1000));
    await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nheron"));
  })();
  const respond = (path: string) =>
    path === "model.safetensors"
      ? Response.redirect(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/`)
      : undefined;
  await assertFails(respond, "unreachable", /^Cannot download http.*model\.safetensors: /);
  await cut;
});

Deno.test("other content than expected is refused, also when it is longer", async () => {
  const other = (path: string) => path === "tokenizer.json" ? new Response("{}") : undefined;
  await assertFails(
    other,
    "wrong_checksum",
    /^The SHA-256 of http.*tokenizer\.json must be [0-9a-f]{64}, got [0-9a-f]{64}$/,
  );
  const longer = (path: string) => path === "config.json" ? new Response(new Uint8Array(1e6)) : undefined;
  await assertFails(longer, "wrong_checksum", /config\.json must have at most \d+ bytes$/);
});

Deno.test("a model file with another checksum than the catalogue's is refused", async () => {
  await assertFails(
    () => undefined,
    "wrong_checksum",
    /^The SHA-256 of the model file must be 00, got [0-9a-f]{64}$/,
    (model) => ({ ...model, sha256: "00" }),
  );
});

Deno.test("an installation can be cancelled, and leaves nothing behind", async () => {
  const cancelled = new AbortController();
  await using origin = startOrigin((path) => {
    if (path !== "model.safetensors") return undefined;
    cancelled.abort(new Error("stopping"));
    return new Response(new ReadableStream());
  });
  await using folder = await temporaryFolder();
  const { signal } = cancelled;
  const options = { folder: folder.path, catalogue: origin.catalogue, signal };
  await assertRejects(() => installModel("tiny", options), Error, "stopping");
  assertEquals(folder.names(), []);
});

Deno.test("two installations at once both succeed", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const install = () => installModel("tiny", { folder: folder.path, catalogue: origin.catalogue });
  const [one, two] = await Promise.all([install(), install()]);
  assertEquals(one, two);
  assertEquals(folder.names(), ["tiny.kbmodel"]);
  await readInstalledModel(one.path);
});

Deno.test("a staging folder that a killed program left is removed after a day", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  await Deno.mkdir(`${folder.path}/.staging-new`);
  await Deno.mkdir(`${folder.path}/.staging-old`);
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 3600_000);
  await Deno.utime(`${folder.path}/.staging-old`, twoDaysAgo, twoDaysAgo);
  await installModel("tiny", { folder: folder.path, catalogue: origin.catalogue });
  assertEquals(folder.names(), [".staging-new", "tiny.kbmodel"]);
});

Deno.test("a folder that cannot be written to is named", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/file`, "");
  const options = { folder: `${folder.path}/file/models`, catalogue: origin.catalogue };
  const error = await assertRejects(
    () => installModel("tiny", options),
    ModelError,
    "Cannot store the model in",
  );
  assertEquals(error.code, "storage");
});

Deno.test("an unknown name is refused with the names there are", async () => {
  const error = await assertRejects(() => installModel("gpt", { folder: "unused" }), ModelError);
  assertEquals(error.code, "unknown_model");
  assertMatch(error.message, /all-MiniLM-L6-v2, bge-small-en-v1\.5, .*got "gpt"$/);
});

Deno.test("a model is installed from a folder, its weights, an archive, an archive in one, or a model file", async () => {
  await using checkpoint = await writeCheckpoint({
    ...tinyCheckpoint(),
    "1_Pooling/config.json": new TextEncoder().encode('{"pooling_mode_mean_tokens":true}'),
  });
  await using folder = await temporaryFolder();
  const inner = zipSync(tinyCheckpoint(), { level: 0 });
  const archives = {
    "plain.zip": zipSync({
      other: new Uint8Array(3),
      a: { model: tinyCheckpoint(), "config.json": new Uint8Array(1) },
    }),
    "nested.whl": zipSync({ package: { "model.zip": inner } }),
  };
  for (const [name, bytes] of Object.entries(archives)) {
    await Deno.writeFile(`${checkpoint.path}/${name}`, bytes);
  }
  await Deno.writeFile(`${checkpoint.path}/x.kbmodel`, tinyModel({ name: "made" }));
  const install = async (path: string, name?: string) =>
    (await installModelFile(`${checkpoint.path}${path}`, { folder: folder.path, name })).name;
  assertEquals(await install("", "a"), "a");
  assertEquals(await install("/model.safetensors", "b"), "b");
  assertEquals(await install("/plain.zip"), "plain");
  assertEquals(await install("/nested.whl"), "nested");
  assertEquals(await install("/x.kbmodel"), "made");
  assertEquals(folder.names(), ["a", "b", "made", "nested", "plain"].map((name) => `${name}.kbmodel`));
});

Deno.test("a known checkpoint gets the description of the catalogue, whatever its folder is called", async () => {
  await using origin = startOrigin();
  await using checkpoint = await writeCheckpoint(origin.files);
  await using folder = await temporaryFolder();
  const { catalogue } = origin;
  const downloaded = await installModel("tiny", { folder: folder.path, catalogue });
  const bytes = await Deno.readFile(downloaded.path);
  await Deno.remove(downloaded.path);
  const local = await installModelFile(checkpoint.path, { folder: folder.path, catalogue, name: "other" });
  assertEquals(local.path, downloaded.path);
  assertEquals(await Deno.readFile(local.path), bytes);
});

Deno.test("a file that is no model, or a damaged one, is refused and changes nothing", async () => {
  const checkpoint = tinyCheckpoint();
  const config = JSON.parse(new TextDecoder().decode(checkpoint["config.json"]));
  const withConfig = (fields: object) => new TextEncoder().encode(JSON.stringify({ ...config, ...fields }));
  await using files = await writeCheckpoint({
    "page.html": new TextEncoder().encode("<!doctype html>"),
    "cut.kbmodel": tinyModel().slice(0, 5000),
    "layers.zip": zipSync({ ...checkpoint, "config.json": withConfig({ num_hidden_layers: 1e9 }) }),
    "bomb.zip": zipSync({ ...checkpoint, "README.md": new Uint8Array(2 ** 26 + 1) }, { level: 1 }),
    "heads.kbmodel": tinyModel({ architecture: { heads: 16 } }),
    "nan.kbmodel": tinyModel({ gain: NaN }),
    "damaged.zip": zipSync(tinyCheckpoint()).slice(0, 5000),
    "empty.zip": zipSync({ "a.txt": new Uint8Array(1) }),
    "bad.zip": zipSync(tinyCheckpoint(), { level: 6 }).map((byte, index) =>
      index > 3000 ? byte ^ 0x55 : byte
    ),
  });
  await using folder = await temporaryFolder();
  const cases: [string, RegExp][] = [
    ["missing", /^Cannot read .*missing: No such file/],
    ["page.html", /page\.html must be a \.kbmodel file, a folder with a checkpoint/],
    ["cut.kbmodel", /damaged or incomplete/],
    ["damaged.zip", /^Cannot convert the model: /],
    ["bad.zip", /^Cannot convert the model: /],
    ["empty.zip", /the archive must contain model\.safetensors/],
    ["layers.zip", /config\.json must describe a BERT encoder: num_hidden_layers/],
    ["bomb.zip", /"README\.md" must have at most 67108864 bytes/],
    ["heads.kbmodel", /hidden \/ heads must be a multiple of 8, got 4/],
    ["nan.kbmodel", /its vectors must have finite numbers/],
  ];
  for (const [name, message] of cases) {
    const error = await assertRejects(
      () => installModelFile(`${files.path}/${name}`, { folder: folder.path }),
      ModelError,
    );
    assertMatch(error.message, message, name);
    assertEquals([error.code, folder.names()], ["invalid_model", []], name);
  }
});

/** Options of `ensureModel` for a data directory and an origin: no other program is installing a model. */
function ensureOptions({ path }: { readonly path: string }, { catalogue }: Pick<Origin, "catalogue">) {
  const { signal } = new AbortController();
  return { dataDir: path, mayDownload: true, signal, log: silent, catalogue, folders: [] as string[] };
}

Deno.test("ensureModel returns an installed model without a request, and downloads a missing one", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const lines: string[] = [];
  const options = {
    ...ensureOptions(folder, origin),
    log: createLogger("info", { write: (line) => lines.push(line) }),
  };
  const { path } = await ensureModel("tiny", options);
  assertEquals(path, `${folder.path}/models/tiny.kbmodel`);
  assert(
    lines.length === 2 && lines[0]!.includes("CC0-1.0") && lines[1]!.includes("installed"),
    lines.join(),
  );
  const requests = origin.requests.length;
  assertEquals(await ensureModel("TINY", { ...options, mayDownload: false }), { path });
  assertEquals([origin.requests.length, lines.length], [requests, 2]);
});

Deno.test("ensureModel refuses a download that the settings forbid, and names the command", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const options = {
    ...ensureOptions(folder, origin),
    mayDownload: false,
  };
  const error = await assertRejects(
    () => ensureModel("tiny", options),
    ModelError,
    "kb-mcp model install tiny",
  );
  assertEquals([error.code, origin.requests.length], ["download_forbidden", 0]);
  const unknown = await assertRejects(() => ensureModel("other", options), ModelError, "kb-mcp model list");
  assertEquals(unknown.code, "unknown_model");
});

Deno.test("ensureModel names the command when the origin fails", async () => {
  await using origin = startOrigin(() => new Response(null, { status: 503 }));
  await using folder = await temporaryFolder();
  const options = ensureOptions(folder, origin);
  const error = await assertRejects(() => ensureModel("tiny", options), ModelError);
  assertMatch(error.message, /HTTP status 503\. .*run kb-mcp model install tiny/);
});

Deno.test("ensureModel waits for another program that is installing the model", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const models = `${folder.path}/models`;
  await Deno.mkdir(`${models}/.staging-task`, { recursive: true });
  const lines: string[] = [];
  let waits = 0;
  const { path } = await ensureModel("tiny", {
    ...ensureOptions(folder, origin),
    log: createLogger("info", { write: (line) => lines.push(line) }),
    folders: [models],
    wait: async () => {
      if (++waits > 1) await installModel("tiny", { folder: models, catalogue: origin.catalogue });
    },
  });
  assertEquals([path, waits, lines], [`${models}/tiny.kbmodel`, 2, []]);
});

Deno.test("ensureModel does not wait for a program that was killed", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  const staging = `${folder.path}/models/.staging-task`;
  await Deno.mkdir(staging, { recursive: true });
  await Deno.utime(staging, 0, 0);
  const options = {
    ...ensureOptions(folder, origin),
    folders: [`${folder.path}/models`],
    wait: () => Promise.reject(new Error("waited")),
  };
  assertEquals(await ensureModel("tiny", options), { path: `${folder.path}/models/tiny.kbmodel` });
});

Deno.test("ensureModel does not name the data directory to agents", async () => {
  await using origin = startOrigin();
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/models`, "");
  const options = ensureOptions(folder, origin);
  const error = await assertRejects(() => ensureModel("tiny", options), ModelError, "Cannot store the model");
  assertEquals([error.code, error.message.includes(folder.path)], ["storage", false]);
  assert(error.cause instanceof ModelError && error.cause.message.includes(folder.path));
});
