/** Dynamic imports of a CommonJS package, such as this one, have no named exports in a bundle. */
export { decompressRTF } from "@kenjiuno/decompressrtf";
