/** Result of a check. */
export interface Check {
  readonly name: "settings" | "keys" | "data directory" | "disk" | "clock" | "port" | "engine" | "model";
  /** `warn`: it works, but probably not as meant. */
  readonly state: "ok" | "warn" | "fail";
  /** Finding. */
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** Returns a check that found nothing. */
export function ok(name: Check["name"], message: string): Check {
  return { name, state: "ok", message };
}

/** Returns a check that found something that works, but probably not as meant. */
export function warn(name: Check["name"], message: string, fix: string): Check {
  return { name, state: "warn", message, fix };
}

/** Returns a check that found a problem. */
export function fail(name: Check["name"], message: string, fix: string): Check {
  return { name, state: "fail", message, fix };
}
