import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError, type NewNote } from "../../../src/client/mod.ts";

/** A client, the names of the fields of each form that it sends, and its clock. */
function openClient(respond: (fields: readonly string[]) => Response) {
  const sent: string[][] = [];
  const clock = { now: 0 };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    now: () => clock.now,
    fetch: async (request) => {
      const form = await request.formData();
      const fields = [...new Set(form.keys())];
      sent.push(fields);
      return respond(fields);
    },
  });
  return { client, sent, clock };
}

const accept = () => Response.json({ job_id: 7, status: "queued" }, { status: 202 });
const reject = (message: string) => Response.json({ error: { code: "invalid", message } }, { status: 400 });

/** An engine of contract 3.2: it names the first field that it does not know. */
function olderEngine(fields: readonly string[]): Response {
  const unknown = fields.find((name) => !["text", "file", "title", "source_path", "tags"].includes(name));
  if (unknown === undefined) return accept();
  return reject(
    `The form has an unknown field "${unknown}": the fields are text, title, source_path, tags and file`,
  );
}

const note: NewNote = { text: "x", tags: [] };

Deno.test("overwrite and keep_collection are sent if they are requested", async () => {
  const { client, sent } = openClient(accept);
  assertEquals(await client.addNote(note), { job_id: 7, status: "queued" });
  assertEquals(await client.addNote({ ...note, overwrite: true, keepCollection: true }), {
    job_id: 7,
    status: "queued",
  });
  await client.addNote({ ...note, overwrite: false, keepCollection: false });
  assertEquals(sent, [["text"], ["overwrite", "keep_collection", "text"], ["text"]]);
});

Deno.test("an older engine gets the form without the fields that it rejects, also the next time", async () => {
  const { client, sent, clock } = openClient(olderEngine);
  for (let i = 0; i < 2; i++) {
    const job = await client.addNote({ ...note, keepCollection: true });
    assertEquals([job.job_id, job.unsupported], [7, ["keep_collection"]]);
  }
  assertEquals(sent, [["keep_collection", "text"], ["text"], ["text"]]);
  clock.now += 60_000;
  await client.addNote({ ...note, keepCollection: true });
  assertEquals(sent.slice(3), [["keep_collection", "text"], ["text"]], "the engine may have been upgraded");
});

Deno.test("add_only is sent to an engine that shows contract 3.7, and to no other", async () => {
  for (const version of ["3.7.0", "3.10.1", "3.6.0", "4.0.0", "dev"]) {
    const forms: string[][] = [];
    const client = new EngineClient({
      baseUrl: "http://engine.test",
      fetch: async (request) => {
        if (request.method === "GET") return Response.json({ version });
        forms.push([...new Set((await request.formData()).keys())]);
        return accept();
      },
    });
    const added = client.addNote({ ...note, addOnly: true, keepCollection: true });
    if (version === "3.7.0" || version === "3.10.1") {
      await added;
      assertEquals(forms.map((names) => names.toSorted()), [["add_only", "keep_collection", "text"]]);
    } else {
      const error = await assertRejects(() => added, EngineError);
      assertEquals([error.code, forms.length], ["engine_too_old", 0], version);
    }
  }
});

Deno.test("a file is opened again for an older engine", async () => {
  const { client, sent } = openClient(olderEngine);
  let opened = 0;
  const open = () => {
    opened++;
    return new Blob(["abc"]).stream();
  };
  const job = await client.addFile({ filename: "a.txt", size: 3, open, tags: [], overwrite: true });
  assertEquals([job.unsupported, opened], [["overwrite"], 2]);
  assertEquals(sent, [["overwrite", "file"], ["file"]]);
});

Deno.test("a form that is rejected for another reason is not sent again", async () => {
  for (const message of ["title must not be empty", 'source_path "keep_collection" must have a slash']) {
    const { client, sent } = openClient(() => reject(message));
    const error = await assertRejects(() => client.addNote({ ...note, keepCollection: true }), EngineError);
    assertEquals([error.code, sent.length], ["invalid", 1]);
  }
});
