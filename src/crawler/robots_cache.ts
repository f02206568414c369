import { FetchError } from "./errors.ts";
import { ALLOW_ALL, parseRobots, type RobotsRules } from "./robots_txt.ts";
import type { WebClient } from "./web_client.ts";

/** Size up to which a robots.txt is read, in bytes: the minimum of RFC 9309 §2.5. */
const MAX_BYTES = 500 * 1024;
/** Time for which the rules of a site are used, in milliseconds; RFC 9309 §2.4 allows a day. */
const MAX_AGE_MS = 3_600_000;
const MAX_SITES = 100;

interface CachedRules {
  readonly rules: Promise<RobotsRules>;
  /** Time of `performance.now`, which no change of the system clock sets back. */
  readonly expiresAt: number;
}

/** Rules of sites for this program, each fetched once per hour. */
export class RobotsCache {
  readonly #client: WebClient;
  readonly #productToken: string;
  readonly #sites = new Map<string, CachedRules>();

  constructor(client: WebClient, productToken: string) {
    this.#client = client;
    this.#productToken = productToken;
  }

  /**
   * Returns the rules of a site. Without a robots.txt everything is allowed (§2.3.1.3).
   *
   * @throws {FetchError} `disallowed_by_robots` if the site fails (§2.3.1.4); the reason why it cannot be
   * reached.
   */
  async rules({ origin }: URL, signal?: AbortSignal): Promise<RobotsRules> {
    const cached = this.#sites.get(origin);
    if (cached && cached.expiresAt > performance.now()) return await cached.rules;
    const rules = this.#fetch(origin, signal);
    this.#sites.delete(origin);
    this.#sites.set(origin, { rules, expiresAt: performance.now() + MAX_AGE_MS });
    if (this.#sites.size > MAX_SITES) this.#sites.delete(this.#sites.keys().next().value!);
    try {
      return await rules;
    } catch (error) {
      // The next request tries again.
      this.#sites.delete(origin);
      throw error;
    }
  }

  async #fetch(origin: string, signal: AbortSignal | undefined): Promise<RobotsRules> {
    const options = { maxBytes: MAX_BYTES, truncate: true, signal };
    const { status, bytes } = await this.#client.get(`${origin}/robots.txt`, options);
    if (status === 200) return parseRobots(new TextDecoder().decode(bytes), this.#productToken);
    if (status >= 400 && status < 500) return ALLOW_ALL;
    throw new FetchError(
      "disallowed_by_robots",
      `Cannot fetch from ${origin}: its robots.txt must be readable, got status ${status}. Try again later`,
    );
  }
}
