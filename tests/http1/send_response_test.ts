import { assertEquals, assertRejects } from "@std/assert";
import { Output } from "../../src/http1/output.ts";
import { sendResponse } from "../../src/http1/send_response.ts";

Deno.test("the body of a response is cancelled when the connection is closed before its head is sent", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const connection = await listener.accept();
  client.close();
  connection.close();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ cancel: () => void (isCancelled = true) });
  const output = new Output(connection, { onWrite: () => {}, onWritten: () => {} });
  await assertRejects(() =>
    sendResponse(output, new Response(body), { method: "POST", minor: 1, close: false, onStream: () => {} })
  );
  assertEquals(isCancelled, true);
});
