import type { Route } from "../../contract/mod.ts";
import { HttpError } from "./errors.ts";

/** A route that a request goes to, with the `{id}` of its path as text ("" when the path has none). */
export interface Match<Name extends string> {
  readonly name: Name;
  readonly id: string;
}

/**
 * Compiles a route table, once, into a matcher.
 *
 * @returns Finds the route of a method and path. Throws `not_found` for a path that no route has, and
 * `method_not_allowed` with `Allow` (RFC 9110 §15.5.6) for one that is there under other methods.
 */
export function createRouter<Name extends string>(
  table: Readonly<Record<Name, Pick<Route, "method" | "path">>>,
): (method: string, path: string) => Match<Name> {
  const exact = new Map<string, Map<string, Name>>();
  const templates: { pattern: RegExp; methods: Map<string, Name> }[] = [];

  const byPath = Map.groupBy(Object.entries(table) as [Name, Route][], ([, route]) => route.path);
  for (const [path, entries] of byPath) {
    const methods = new Map(entries.map(([name, route]) => [route.method as string, name]));
    if (!path.includes("{id}")) exact.set(path, methods);
    else {
      const [before = "", after = ""] = path.split("{id}").map(RegExp.escape);
      templates.push({ pattern: new RegExp(`^${before}([^/]+)${after}$`), methods });
    }
  }

  return (method, path) => {
    let methods = exact.get(path);
    let id = "";
    if (!methods) {
      for (const template of templates) {
        const match = template.pattern.exec(path);
        if (!match) continue;
        methods = template.methods;
        id = match[1] ?? "";
        break;
      }
    }
    if (!methods) {
      throw new HttpError(
        "not_found",
        "There is nothing at this path: GET /api/v1/openapi.json lists what there is",
      );
    }
    const name = methods.get(method === "HEAD" ? "GET" : method);
    if (name !== undefined) return { name, id };
    const allowed = [...methods.keys()].flatMap((each) => each === "GET" ? ["GET", "HEAD"] : [each]).join(
      ", ",
    );
    throw new HttpError(
      "method_not_allowed",
      `The method must be one of ${allowed}, got ${method.slice(0, 20)}`,
      {
        headers: { allow: allowed },
      },
    );
  };
}
