/** A rule of a group: `Allow` or `Disallow`. */
interface Rule {
  readonly allow: boolean;
  /** Length of the path pattern in octets; the longest matching one decides. */
  readonly length: number;
  /** Texts between the wildcards of the pattern. */
  readonly literals: readonly string[];
  /** Whether the pattern ends with `$`. */
  readonly anchored: boolean;
}

/** Rules of a site for one crawler. */
export interface RobotsRules {
  /** Returns whether the crawler may fetch a URL of the site. */
  allows(url: URL): boolean;
  /** Seconds between two requests that the site asks for. */
  readonly crawlDelay: number | undefined;
  /** Values of `Sitemap`, which apply to every crawler. */
  readonly sitemaps: readonly string[];
}

/** Rules of a site without a robots.txt. */
export const ALLOW_ALL: RobotsRules = { allows: () => true, crawlDelay: undefined, sitemaps: [] };

/** Maximum number of `Sitemap` lines that are read. */
const MAX_SITEMAPS = 20;

/**
 * Parses a robots.txt (RFC 9309) for one crawler.
 *
 * The rules of all groups that name the crawler apply, or else those of all groups for `*`. The work is linear
 * in the text. (The package robots-parser stores each rule for every user agent of its group: 190 KiB took 100
 * seconds and 4 GB.)
 *
 * @param productToken Name of the crawler without its version.
 *
 * @example
 * ```ts
 * import { parseRobots } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const rules = parseRobots("User-agent: *\nDisallow: /private/\nAllow: /private/faq$", "kb-mcp");
 * assertEquals(rules.allows(new URL("https://example.com/private/notes")), false);
 * assertEquals(rules.allows(new URL("https://example.com/private/faq")), true);
 * ```
 */
export function parseRobots(text: string, productToken: string): RobotsRules {
  const groups = { named: new Group(), any: new Group() };
  const sitemaps: string[] = [];
  let isNamed = false;
  let isAny = false;
  let inAgents = false;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    const [, field = "", value = ""] = /^\s*([^:#\s]{1,40})\s*:([^#]*)/.exec(line) ?? [];
    const key = field.toLowerCase();
    if (key === "user-agent") {
      // Consecutive lines name the crawlers of one group.
      if (!inAgents) isNamed = isAny = false;
      inAgents = true;
      const agent = value.trim().split("/", 1)[0]!.toLowerCase();
      if (agent === "*") isAny = true;
      else if (agent === productToken.toLowerCase()) isNamed = true;
      if (isNamed) groups.named.exists = true;
    } else if (key === "sitemap") {
      if (sitemaps.length < MAX_SITEMAPS) sitemaps.push(value.trim());
    } else if (/^(?:allow|disallow|crawl-delay)$/.test(key)) {
      inAgents = false;
      if (isNamed) groups.named.add(key, value.trim());
      if (isAny) groups.any.add(key, value.trim());
    }
  }
  const { rules, crawlDelay } = groups.named.exists ? groups.named : groups.any;
  return { allows: (url) => isAllowed(rules, pathOf(url)), crawlDelay, sitemaps };
}

class Group {
  exists = false;
  crawlDelay: number | undefined;
  readonly rules: Rule[] = [];

  add(key: string, value: string): void {
    if (key === "crawl-delay") {
      const seconds = Number(value);
      if (value !== "" && seconds >= 0) this.crawlDelay = seconds;
    } else if (value !== "") {
      const pattern = normalizePath(value);
      const anchored = pattern.endsWith("$");
      const literals = (anchored ? pattern.slice(0, -1) : pattern).split("*");
      this.rules.push({ allow: key === "allow", length: pattern.length, literals, anchored });
    }
  }
}

/** The longest matching pattern decides; of equal ones, `Allow` (RFC 9309 §2.2.2). */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  // The file itself is always allowed.
  if (path === "/robots.txt") return true;
  let length = -1;
  let allow = true;
  for (const rule of rules) {
    const isStronger = rule.length > length || (rule.length === length && rule.allow && !allow);
    if (isStronger && matches(rule, path)) ({ length, allow } = rule);
  }
  return allow;
}

/** Finds each literal at its first position after the former one, which needs no backtracking. */
function matches({ literals, anchored }: Rule, path: string): boolean {
  const [first = "", ...rest] = literals;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  const last = anchored ? rest.pop() : undefined;
  for (const literal of rest) {
    const start = path.indexOf(literal, end);
    if (start < 0) return false;
    end = start + literal.length;
  }
  if (!anchored) return true;
  return last === undefined ? end === path.length : path.length - last.length >= end && path.endsWith(last);
}

function pathOf({ pathname, search }: URL): string {
  return normalizePath(pathname + search);
}

/** Encodes what must be encoded and writes escapes in upper case, so that both sides compare (§2.2.2). */
function normalizePath(path: string): string {
  return path.toWellFormed()
    .replace(/[^\x21-\x7e]+/gu, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, normalizeEscape);
}

/** Decodes escapes of unreserved characters, which mean the same without (RFC 3986 §6.2.2.2). */
function normalizeEscape(escape: string): string {
  const char = String.fromCharCode(parseInt(escape.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(char) ? char : escape.toUpperCase();
}
