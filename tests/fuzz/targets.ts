import type { FuzzTarget } from "./target.ts";
import { fts5Pages } from "./targets/fts5_pages.ts";
import { jsonRpc } from "./targets/json_rpc.ts";
import { multipart } from "./targets/multipart.ts";
import { query } from "./targets/query.ts";

/** All fuzz targets. */
export const TARGETS: readonly FuzzTarget[] = [
  fts5Pages,
  jsonRpc,
  multipart,
  query,
];
