import type { Unit } from "./query.ts";
export function snippet(text: string, _units: readonly Unit[]): string {
  return text.slice(0, 240);
}
