import type { FuzzTarget } from "./target.ts";
import { multipart } from "./targets/multipart.ts";

/** All fuzz targets. */
export const TARGETS: readonly FuzzTarget[] = [
  multipart,
];
