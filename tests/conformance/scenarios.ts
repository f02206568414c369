/**
 * Which scenarios of the official suite we run, against what, and why we leave the others out. A scenario that a suite
 * knows and this table does not is a failure, as is one that only this table knows: an upgrade shows both.
 *
 * @module
 */
import type { Era } from "./suites.ts";

/** The program as it is started from the command line, or the same code with the suite's tools, resources and prompts. */
export type Target = "product" | "fixture";

/** Needs nothing that is not in every server with tools, resources and prompts. */
const GENERIC = [
  "server-initialize",
  "server-session-lifecycle",
  "server-stateless",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
  "sep-2164-resource-not-found",
  "input-required-result-unsupported-methods",
];

/** Asks for tools, resources and prompts of the suite's own. */
const NEEDS_FIXTURE = [
  "server-stateless",
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "json-schema-2020-12",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
];

/** Reason, and the scenarios that it keeps out. */
const NOT_APPLICABLE: readonly (readonly [reason: string, scenarios: readonly string[]])[] = [
  ["logging is not declared (and deprecated since 2026-07-28)", [
    "logging-set-level",
    "tools-call-with-logging",
  ]],
  ["no tool asks the client's model anything: sampling is not used", ["tools-call-sampling"]],
  ["no tool asks the user anything in the middle of a call: elicitation is not used", [
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ]],
  ["resources.subscribe is not declared", ["resources-subscribe", "resources-unsubscribe"]],
  ["no stream is closed before its answer, and resuming one is optional (2025-11-25, Resumability: MAY)", [
    "server-sse-polling",
  ]],
  [
    "no parameter of a tool has x-mcp-header, which is optional (2026-07-28, Streamable HTTP: optional for servers)",
    [
      "http-custom-header-server-validation",
    ],
  ],
  ["no tool or prompt needs input in the middle of a call: input_required is never answered", [
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ]],
  ["the extension io.modelcontextprotocol/tasks is not declared", [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ]],
  ["the extension io.modelcontextprotocol/skills is not declared", [
    "sep-2640-skills-directory",
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
  ]],
];

/** What to do with a scenario: the targets to run it against, or the reason not to. */
export type Disposition = { readonly targets: readonly Target[] } | { readonly reason: string };

const table: ReadonlyMap<string, Disposition> = new Map<string, Disposition>([
  ...NOT_APPLICABLE.flatMap(([reason, names]) => names.map((name) => [name, { reason }] as const)),
  ...new Set([...GENERIC, ...NEEDS_FIXTURE]).values().map((name) =>
    [name, {
      targets: [
        ...(GENERIC.includes(name) ? ["product" as const] : []),
        ...(NEEDS_FIXTURE.includes(name) ? ["fixture" as const] : []),
      ],
    }] as const
  ),
]);

/** All that the table knows. */
export const KNOWN_SCENARIOS: readonly string[] = [...table.keys()];

/** Looks a scenario up; undefined for one that nobody has decided about. */
export function dispositionOf(scenario: string): Disposition | undefined {
  return table.get(scenario);
}

/** A check inside a scenario that cannot hold for us, while the scenario's other checks must. */
export interface Exception {
  readonly scenario: string;
  readonly check: string;
  readonly target: Target;
  readonly eras: readonly Era[];
  readonly reason: string;
}

const noCapabilityNeeded = "no tool of ours needs a capability of the client, so none can be missing";
const noSuchTool = "the product has no diagnostic tools of the suite's; the fixture is held to it";
const MODERN: readonly Era[] = ["2026-07-28"];

/** Each must still fail when it is run: one that passes is out of date, and a failure. */
export const EXCEPTIONS: readonly Exception[] = [
  ...(["product", "fixture"] as const).flatMap((target) =>
    ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"].map((check) => (
      { scenario: "server-stateless", check, target, eras: MODERN, reason: noCapabilityNeeded }
    ))
  ),
  ...["sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel"]
    .map(
      (check) => (
        { scenario: "server-stateless", check, target: "product" as const, eras: MODERN, reason: noSuchTool }
      ),
    ),
  {
    scenario: "json-schema-2020-12",
    check: "json-schema-2020-12-$schema",
    target: "fixture",
    eras: ["2025-11-25", "2026-07-28"],
    reason: "a schema without $schema is of 2020-12 (Overview, Schema Dialect, rule 1), so the server " +
      "does not spend tokens on saying so",
  },
];
