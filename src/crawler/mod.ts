/**
 * Fetches documents from the web, and the pages of whole sites, without exposing the network of this machine.
 *
 * @module
 */
export { isPublicAddress } from "./addresses.ts";
export { crawl, type CrawlEvent, type CrawlOptions, type KnownPage } from "./crawl.ts";
export { FetchError, type FetchErrorCode } from "./errors.ts";
export {
  type FetchedDocument,
  Fetcher,
  type FetcherOptions,
  type FetchOptions,
  type FetchResult,
  type Validators,
} from "./fetcher.ts";
export { type PageLinks, scanLinks } from "./html_links.ts";
export { parseLlmsTxt } from "./llms_txt.ts";
export { folderOf, pagePath, pageUrl, singlePagePath, type SitePrefix } from "./page_url.ts";
export type { Resolve } from "./resolve.ts";
export { parseRobots, type RobotsRules } from "./robots_txt.ts";
export type { AllowedHosts } from "./target.ts";
export type { WebClientOptions, WebResponse } from "./web_client.ts";
