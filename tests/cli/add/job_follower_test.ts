import { assertRejects } from "@std/assert";
import { JobFollower } from "../../../src/cli/add/job_follower.ts";
import { EngineError } from "../../../src/client/mod.ts";
import { ClientFixture } from "../client/client_fixture.ts";

Deno.test("waiting for jobs ends when the disk of the engine is full", async () => {
  await using kb = await ClientFixture.open();
  const { job_id } = await kb.client.addNote({ text: "waits", tags: [] });
  const client = kb.clientWith(async (request, send) => {
    const { pathname } = new URL(request.url);
    const response = await send(request);
    const body = await response.json();
    if (pathname.endsWith("/status")) body.storage.state = "storage_full";
    if (pathname.endsWith("/jobs")) body.jobs = [];
    if (pathname.endsWith(`/jobs/${job_id}`)) Object.assign(body, { status: "queued", outcome: null });
    return Response.json(body);
  });
  const follower = new JobFollower(client, new AbortController().signal, 0);
  follower.follow(job_id, { onEnd() {} });
  await assertRejects(
    () => follower.drain(0),
    EngineError,
    "The disk of the engine is full. Free some space: it then stores the files that it has received (1)",
  );
});
