import { FetchError } from "./errors.ts";

/** Maximum length of a URL, in characters. */
export const MAX_URL_CHARS = 2_000;

/** Ports of web servers. A request to another port could reach a service that misreads HTTP, such as SMTP. */
const WEB_PORTS: ReadonlySet<string> = new Set(["", "80", "443", "8080", "8443"]);

/** Hosts that may have any address and port: `wiki.corp.example` or `wiki.corp.example:3000`, in lower case. */
export type AllowedHosts = readonly string[];

/** A URL that may be fetched if its host has public addresses only. */
export interface FetchTarget {
  /** Absolute, with `http:` or `https:`, without credentials and fragment. */
  readonly url: URL;
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether the operator allows this host to have any address. */
  readonly allowed: boolean;
}

/**
 * Checks a URL that came from a user, a redirect or a page.
 *
 * `URL` turns every notation of an IPv4 address, such as `0x7f.1` and `2130706433`, into the usual one and
 * refuses zones of IPv6, so that `host` compares and classifies as one form.
 *
 * @throws {FetchError} `invalid_url`
 */
export function parseTarget(url: string | URL, allowedHosts: AllowedHosts): FetchTarget {
  const parsed = URL.parse(url);
  if (!parsed || parsed.href.length > MAX_URL_CHARS) {
    throw invalid(url, `must be a URL of at most ${MAX_URL_CHARS} characters`);
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw invalid(parsed, "must start with http:// or https://");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    // The message leaves the credentials out.
    throw new FetchError(
      "invalid_url",
      `Cannot fetch from ${parsed.host}: the URL must not have credentials`,
    );
  }
  parsed.hash = "";
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const port = Number(parsed.port) || (parsed.protocol === "https:" ? 443 : 80);
  const allowed = [parsed.hostname, `${parsed.hostname}:${port}`].some((name) => allowedHosts.includes(name));
  if (!allowed && !WEB_PORTS.has(parsed.port)) {
    throw invalid(parsed, "its port must be 80, 443, 8080 or 8443, or its host in KB_FETCH_ALLOWED_HOSTS");
  }
  return { url: parsed, host, port, allowed };
}

function invalid(url: string | URL, requirement: string): FetchError {
  return new FetchError("invalid_url", `Cannot fetch ${displayUrl(url)}: ${requirement}`);
}

/** Returns a URL for messages: at most 200 characters. */
export function displayUrl(url: string | URL): string {
  const text = String(url);
  return (text.length > 200 ? `${text.slice(0, 199)}…` : text).toWellFormed();
}
