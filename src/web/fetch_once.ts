/**
 * Sends a request at most once, on a connection of its own.
 *
 * When a connection of its pool breaks before the response, Deno's `fetch` sends the request again on another one
 * (https://github.com/denoland/deno/issues/35610). The server may have processed it: a change would be made twice, or,
 * if the server has ended meanwhile, be reported as never sent.
 */
export async function fetchOnce(input: Request | string, init?: RequestInit): Promise<Response> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  return await fetch(input, { ...init, client });
}
