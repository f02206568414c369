/** Makes new and renamed entries of a directory durable (fsync(2)). Windows neither supports nor needs this. */
export async function syncDirectory(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(path);
  await directory.sync();
}
