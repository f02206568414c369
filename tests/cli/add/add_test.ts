import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { add, type AddOptions } from "../../../src/cli/add/add.ts";
import { EngineClient } from "../../../src/client/mod.ts";
import { sampleZip } from "../../support/sample_archives.ts";
import { ClientFixture } from "../client/client_fixture.ts";

/** Writes files into a new folder, `docs` in a temporary directory. */
async function folderWith(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<
  AsyncDisposable & { path: string; write(name: string, content: string | Uint8Array): Promise<void> }
> {
  const parent = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  const path = join(parent, "docs");
  const write = async (name: string, content: string | Uint8Array) => {
    const file = join(path, name);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return { path, write, [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }) };
}

Deno.test("add", async (t) => {
  await using kb = await ClientFixture.open();
  const addJson = (paths: string[], options: AddOptions = {}) =>
    kb.json((context) => add(paths, options, context));
  const paths = async (prefix: string) =>
    (await kb.client.queryDocuments({ source_path_prefix: prefix, sort: "title" })).documents
      ?.map(({ source_path }) => source_path).toSorted();

  await t.step("an archive is unpacked, and the file in it that cannot be read is named", async () => {
    await using folder = await folderWith({
      "home.zip": sampleZip([{ path: "kettle.md", content: "# Kettle" }, {
        path: "a.exe",
        content: "MZ\0\0",
      }]),
    });
    const added = await addJson([join(folder.path, "home.zip")]);
    assertEquals([added.unpacked, added.failures], [1, []]);
    assertMatch(
      added.warnings[0].warning,
      /^1 of 2 files could not be read: a\.exe \(unsupported_type, job \d+\)\.$/,
    );
    assertEquals(await paths("home.zip/"), ["home.zip/kettle.md"]);
  });

  await t.step("a folder is added, and skipped when nothing has changed", async () => {
    await using folder = await folderWith({
      "index.md": "# Index\n\nStart here.",
      "guide/kettle.html": "<h1>Kettle</h1><p>Boil water.</p>",
      "guide/drafts/old.md": "An old draft.",
      ".gitignore": "build/\n",
      "build/out.md": "Generated.",
      ".secret.md": "Hidden.",
      "data.json": "{}",
    });
    const first = await addJson([folder.path], { recursive: true, exclude: ["drafts/"], tags: ["manual"] });
    assertEquals([first.created, first.failures, first.other_types], [2, [], 1]);
    assertEquals(await paths("docs/"), ["docs/guide/kettle.html", "docs/index.md"]);
    const again = await addJson([folder.path], { recursive: true, exclude: ["drafts/"] });
    assertEquals([again.created, again.unchanged], [0, 2]);

    await folder.write("index.md", "# Index\n\nStart there.");
    await folder.write("new.md", "New.");
    const preview = await kb.terminal((context) => add([folder.path], { dryRun: true }, context));
    assertStringIncludes(
      preview.text,
      "replace docs/index.md\nadd     docs/new.md\nLeft out 1 subfolder: add with --recursive.\n" +
        "Left out 1 file of other types (.json 1): add one with --include '*.EXT', or all with " +
        "--include '*'.",
    );
    const changed = await addJson([folder.path], { recursive: true, collection: "workspace" });
    // The unchanged page moves to the collection that is named now.
    assertEquals([changed.replaced, changed.created, changed.duplicate], [1, 2, 1]);
    assertEquals(await paths("docs/"), [
      "docs/guide/drafts/old.md",
      "docs/guide/kettle.html",
      "docs/index.md",
      "docs/new.md",
    ]);
    const { documents: [page] } = await kb.client.documents({ source_path: "docs/guide/kettle.html" });
    assertEquals(page?.tags.toSorted(), ["collection:workspace", "manual"]);
    await folder.write("new.md", "Newer.");
    const kept = await addJson([folder.path]);
    assertEquals([kept.replaced, kept.unchanged], [1, 1]);
    const { documents: [moved] } = await kb.client.documents({ source_path: "docs/new.md" });
    assertEquals(moved?.tags, ["collection:workspace"]);
  });

  await t.step(
    "--include adds other types, --prefix names the documents, equal files are stored once",
    async () => {
      await using folder = await folderWith({ "a.json": '{"a": 1}', "b.json": '{"a": 1}', "c.md": "C" });
      const options = { include: ["*.json"], prefix: "/data/" };
      const { created, duplicate } = await addJson([folder.path], options);
      assertEquals([created, duplicate], [1, 1]);
      assertEquals((await addJson([folder.path], options)).unchanged, 2);
      assertEquals((await paths("data/"))?.length, 1);
      assertEquals((await addJson([join(folder.path, "c.md")])).created, 1);
      assertEquals(await paths("c.md"), ["c.md"]);
    },
  );

  await t.step("failures are listed with their reasons, and the other files are stored", async () => {
    await using folder = await folderWith({
      "broken.pdf": "%PDF-1.4 nothing",
      "empty.md": "",
      "good.md": "Good.",
      "note.md": "A file at the path of a note.",
    });
    await Deno.symlink("/etc/passwd", join(folder.path, "out.md"));
    await kb.add("A note.", { source_path: "bad/note.md" });
    const action = { prefix: "bad" };
    const { text } = await kb.terminal((context) => add([folder.path], action, context));
    assertMatch(text, /^4 of 4 files: added 1, failed 3 /);
    assertMatch(
      text,
      /Failed \(1 of these is not counted above\):\n {2}bad\/broken\.pdf: .* \(damaged\)\n {2}bad\/empty\.md: The file is empty \(no_text\)\n/,
    );
    assertMatch(
      text,
      /bad\/note\.md: .*--overwrite replaces it\) \(conflict\)\n {2}bad\/out\.md: .* \(outside_source\)/,
    );
    assertEquals(await kb.status((context) => add([folder.path], action, context)), 2);
    const overwritten = await addJson([folder.path], { ...action, overwrite: true });
    assertEquals(overwritten.replaced, 1);
  });

  await t.step("a link without a target is left out with a warning", async () => {
    await using folder = await folderWith({ "a.md": "Has a broken link next to it." });
    await Deno.symlink("nowhere.md", join(folder.path, "dead.md"));
    const options = { prefix: "links" };
    const warnings = [{ path: "links/dead.md", warning: "Left out: the link has no target" }];
    assertEquals((await addJson([folder.path], { ...options, dryRun: true })).warnings, warnings);
    const { text } = await kb.terminal((context) => add([folder.path], options, context));
    assertMatch(
      text,
      /^1 of 1 files: added 1 .*\nWarnings:\n {2}links\/dead\.md: Left out: the link has no target\n$/,
    );
    const again = await addJson([folder.path], options);
    assertEquals([again.failed, again.failures, again.warnings], [0, [], warnings]);
    assertEquals(await kb.status((context) => add([folder.path], options, context)), 0);
  });

  await t.step("a stopped run continues where it was", async () => {
    await using folder = await folderWith(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.md`, `Text number ${n}.`])),
    );
    const stop = new AbortController();
    let sent = 0;
    const client = kb.clientWith(async (request, send) => {
      if (request.method === "POST" && ++sent > 5) stop.abort();
      return await send(request);
    });
    const options = { prefix: "stopped" };
    const stopped = await kb.terminal(
      (context) => add([folder.path], options, { ...context, signal: stop.signal }).catch(() => {}),
      client,
    );
    assertStringIncludes(stopped.text, "Run the command again: it continues with the other files.");
    const rest = await addJson([folder.path], options);
    assertEquals(rest.created + rest.duplicate + rest.unchanged, 12);
    assertEquals((await paths("stopped/"))?.length, 12);
  });

  await t.step("a stopped run counts the files that were stored or received until then", async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.md`, `Item number ${n}.`]));
    await using folder = await folderWith(files);
    // The results of jobs are read only after the stop, like those of a slow engine.
    const run = async (prefix: string, afterStop: (response: Response) => Promise<Response>) => {
      const stop = new AbortController();
      const client = kb.clientWith(async (request, send) => {
        if (request.method !== "GET" || !request.url.includes("/jobs")) return await send(request);
        if (stop.signal.aborted) return await afterStop(await send(request));
        const body = await (await send(request)).json();
        const { jobs } = await kb.client.jobs({ limit: 50 });
        const ended = jobs.filter((job) => job.source_path?.startsWith(`${prefix}/`) && job.outcome);
        if (ended.length === 12) stop.abort();
        return Response.json(
          body.jobs ? { ...body, jobs: [] } : { ...body, status: "queued", outcome: null },
        );
      });
      return await kb.terminal(
        (context) => add([folder.path], { prefix }, { ...context, signal: stop.signal }).catch(() => {}),
        client,
      );
    };
    const listed = await run("listed", (response) => Promise.resolve(response));
    assertMatch(listed.text, /^12 of 12 files: added 12 \(/);
    const gone = await run("gone", async (response) => {
      await response.body?.cancel();
      throw new TypeError("Connection refused");
    });
    assertMatch(gone.text, /^12 of 12 files: accepted 12 \(/);
    assertStringIncludes(gone.text, "The engine has received the accepted files, and stores them");
    assertStringIncludes(gone.text, "Run the command again: it continues with the other files.");
  });

  await t.step("a busy engine gets the file again after the delay that it asks for", async () => {
    await using folder = await folderWith({ "busy.md": "Patience." });
    let rejected = 0;
    const client = kb.clientWith(async (request, send) => {
      if (!request.url.endsWith("/jobs") || request.method !== "POST" || rejected > 1) {
        return await send(request);
      }
      rejected++;
      await request.body?.cancel();
      const error = { code: "queue_full", message: "The queue is full" };
      return Response.json({ error }, { status: 503, headers: { "retry-after": "0" } });
    });
    const { created } = await kb.json((context) => add([folder.path], {}, context), client);
    assertEquals([rejected, created], [2, 1]);
  });

  await t.step("paths that do not exist or coincide are refused before anything is sent", async () => {
    await using one = await folderWith({ "a.md": "One." });
    await using two = await folderWith({ "a.md": "Two." });
    await assertRejects(() => addJson([join(one.path, "none")]), Error, "No such file");
    await assertRejects(
      () => addJson([one.path, two.path]),
      Error,
      'Two files would have the path "docs/a.md"',
    );
  });

  await t.step("an engine before contract 3.3 is looked up file by file", async () => {
    await using folder = await folderWith({ "old/a.md": "For an old engine.", "old/b.md": "B." });
    const client: EngineClient = kb.clientWith(async (request, send) => {
      const url = new URL(request.url);
      if (url.pathname.endsWith("/status")) return Response.json({ version: "3.2.0" });
      if (url.pathname.endsWith("/query")) return new Response(null, { status: 404 });
      return await send(request);
    });
    const options = { recursive: true };
    const run = () => kb.json((context) => add([join(folder.path, "old")], options, context), client);
    assertEquals((await run()).created, 2);
    assertEquals((await run()).unchanged, 2);
  });
});
