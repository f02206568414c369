import type { Route } from "../../contract/mod.ts";
import { HttpError } from "./errors.ts";

/** The route of a request, with the `{id}` segment of its path ("" for a path without one). */
export interface RouteMatch<Name extends string> {
  readonly name: Name;
  readonly id: string;
}

/**
 * Compiles a route table.
 *
 * @returns A function that finds the route of a method and path. Throws `not_found` for an unknown path, and
 * `method_not_allowed` with `Allow` (RFC 9110 §15.5.6) for a path with other methods.
 */
export function createRouter<Name extends string>(
  table: Readonly<Record<Name, Pick<Route, "method" | "path">>>,
): (method: string, path: string) => RouteMatch<Name> {
  const staticPaths = new Map<string, Map<string, Name>>();
  const templates: { pattern: RegExp; methods: Map<string, Name> }[] = [];

  const byPath = Map.groupBy(Object.entries(table) as [Name, Route][], ([, route]) => route.path);
  for (const [path, entries] of byPath) {
    const methods = new Map(entries.map(([name, route]) => [route.method as string, name]));
    if (!path.includes("{id}")) staticPaths.set(path, methods);
    else {
      const [before = "", after = ""] = path.split("{id}").map(RegExp.escape);
      templates.push({ pattern: new RegExp(`^${before}([^/]+)${after}$`), methods });
    }
  }

  function findPath(path: string): { methods: Map<string, Name>; id: string } {
    const methods = staticPaths.get(path);
    if (methods) return { methods, id: "" };
    for (const { pattern, methods } of templates) {
      const id = pattern.exec(path)?.[1];
      if (id !== undefined) return { methods, id };
    }
    throw new HttpError("not_found", "This path does not exist: GET /api/v1/openapi.json lists all paths");
  }

  return (method, path) => {
    const { methods, id } = findPath(path);
    const name = methods.get(method === "HEAD" ? "GET" : method);
    if (name !== undefined) return { name, id };
    const allowed = [...methods.keys()].flatMap((each) => each === "GET" ? ["GET", "HEAD"] : [each]);
    throw new HttpError(
      "method_not_allowed",
      `The method must be one of ${allowed.join(", ")}, got ${method.slice(0, 20)}`,
      { headers: { allow: allowed.join(", ") } },
    );
  };
}
