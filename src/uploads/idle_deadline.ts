/** A body that stopped arriving. */
export class BodyStalled extends Error {
  override name = "BodyStalled";
}

/**
 * The same stream, failing with {@linkcode BodyStalled} when nothing arrives for `ms`. `Deno.serve` has no such
 * deadline: a client that goes silent would hold its connection, and its upload, for ever.
 */
export function withIdleDeadline(body: ReadableStream<Uint8Array>, ms: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const stalled = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => stalled.reject(new BodyStalled(`nothing arrived for ${ms / 1000} s`)),
        ms,
      );
      try {
        const { done, value } = await Promise.race([reader.read(), stalled.promise]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel().catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
