import type { FuzzTarget } from "./target.ts";
import { base64 } from "./targets/base64.ts";
import { bearer } from "./targets/bearer.ts";
import { crawler } from "./targets/crawler.ts";
import { cursor } from "./targets/cursor.ts";
import { extraction } from "./targets/extraction.ts";
import { frontMatter } from "./targets/front_matter.ts";
import { fts5Pages } from "./targets/fts5_pages.ts";
import { http1 } from "./targets/http1.ts";
import { imports } from "./targets/imports.ts";
import { jsonRpc } from "./targets/json_rpc.ts";
import { multipart } from "./targets/multipart.ts";
import { putHeaders } from "./targets/put_headers.ts";
import { query } from "./targets/query.ts";
import { settings } from "./targets/settings.ts";
import { textFormats } from "./targets/text_formats.ts";
import { tokenizer } from "./targets/tokenizer.ts";
import { vocabulary } from "./targets/vocabulary.ts";

/** All fuzz targets. */
export const TARGETS: readonly FuzzTarget[] = [
  base64,
  bearer,
  crawler,
  cursor,
  extraction,
  frontMatter,
  fts5Pages,
  http1,
  imports,
  jsonRpc,
  multipart,
  putHeaders,
  query,
  settings,
  textFormats,
  tokenizer,
  vocabulary,
];
