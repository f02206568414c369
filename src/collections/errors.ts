/** A collection or tag that cannot be used. The message goes to the model: what is wrong, and what to do instead. */
export class CollectionError extends Error {
  /** Always `CollectionError`. */
  override name = "CollectionError";
}
