import { ModelFileError } from "./errors.ts";

/** The fields of a JSON object; each method checks one. */
export class Fields {
  readonly object: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw invalidField(path, "an object", value);
    }
    this.object = value as Record<string, unknown>;
    this.#path = path;
  }

  names(): string[] {
    return Object.keys(this.object);
  }

  fields(name: string): Fields {
    return new Fields(this.#get(name), `${this.#path}.${name}`);
  }

  text(name: string, maxLength: number): string {
    const value = this.#get(name);
    if (typeof value === "string" && value.length <= maxLength) return value;
    throw this.#invalid(name, `a string of at most ${maxLength} characters`);
  }

  /** Returns a text to print, without the control characters that a terminal would interpret. */
  line(name: string, maxLength: number): string {
    const value = this.text(name, maxLength);
    if (!/\p{Cc}/u.test(value)) return value;
    throw this.#invalid(name, "one line without control characters");
  }

  number(name: string, min: number, max: number): number {
    const value = this.#get(name);
    if (typeof value === "number" && value >= min && value <= max) return value;
    throw this.#invalid(name, `a number from ${min} to ${max}`);
  }

  integer(name: string, min: number, max: number): number {
    const value = this.#get(name);
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) {
      return value as number;
    }
    throw this.#invalid(name, `an integer from ${min} to ${max}`);
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T {
    const found = values.find((each) => each === this.#get(name));
    if (found !== undefined) return found;
    throw this.#invalid(name, values.map((each) => JSON.stringify(each)).join(" or "));
  }

  shape(name: string): number[] {
    const value = this.#get(name);
    if (Array.isArray(value) && value.length >= 1 && value.length <= 2 && value.every(isDimension)) {
      return value;
    }
    throw this.#invalid(name, "one or two positive integers");
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.object, name) ? this.object[name] : undefined;
  }

  #invalid(name: string, requirement: string): ModelFileError {
    return invalidField(`${this.#path}.${name}`, requirement, this.#get(name));
  }
}

function isDimension(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31;
}

/** Returns the error for a field: path, requirement and value. */
export function invalidField(path: string, requirement: string, value: unknown): ModelFileError {
  const got = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 100);
  return new ModelFileError("header", `${path} must be ${requirement}, got ${got}`);
}
