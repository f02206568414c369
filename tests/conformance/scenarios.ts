/**
 * Scenarios of the official suites to run, with their targets, and to skip, with the reason. A scenario that
 * is only in a suite or only in this table is a failure, so that upgrades of a suite are noticed.
 *
 * @module
 */
import type { ProtocolVersion } from "./suites.ts";

/** The program, or the same code with the fixture tools, resources and prompts of the suite. */
export type Target = "product" | "fixture";

/** Run on any server with tools, resources and prompts. */
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

/** Need the fixture tools, resources and prompts of the suite. */
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

/** Skipped scenarios by reason. */
const NOT_APPLICABLE: readonly (readonly [reason: string, scenarios: readonly string[]])[] = [
  ["logging is not declared (and deprecated since 2026-07-28)", [
    "logging-set-level",
    "tools-call-with-logging",
  ]],
  ["no tool uses sampling", ["tools-call-sampling"]],
  ["no tool uses elicitation", [
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ]],
  ["resources.subscribe is not declared", ["resources-subscribe", "resources-unsubscribe"]],
  ["no stream is closed before its response, and resuming one is optional (2025-11-25, Resumability: MAY)", [
    "server-sse-polling",
  ]],
  [
    "no parameter of a tool has x-mcp-header, which is optional (2026-07-28, Streamable HTTP: optional for servers)",
    [
      "http-custom-header-server-validation",
    ],
  ],
  ["no tool or prompt needs input during a call, so input_required is never returned", [
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

/** Targets to run a scenario against, or the reason to skip it. */
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

/** All scenarios in the table. */
export const KNOWN_SCENARIOS: readonly string[] = [...table.keys()];

/** Returns undefined for a scenario that is not in the table. */
export function dispositionOf(scenario: string): Disposition | undefined {
  return table.get(scenario);
}

/** A check that cannot succeed, while the other checks of its scenario must. */
export interface Exception {
  readonly scenario: string;
  readonly check: string;
  readonly target: Target;
  readonly protocolVersions: readonly ProtocolVersion[];
  readonly reason: string;
}

const noCapabilityNeeded = "no tool needs a client capability, so none can be missing";
const noSuchTool = "the product lacks the suite's diagnostic tools; the fixture is checked instead";
const MODERN: readonly ProtocolVersion[] = ["2026-07-28"];

/** Each of these must fail: an exception that is no longer needed counts as a failure. */
export const EXCEPTIONS: readonly Exception[] = [
  ...(["product", "fixture"] as const).flatMap((target) =>
    ["sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400"].map((check) => (
      { scenario: "server-stateless", check, target, protocolVersions: MODERN, reason: noCapabilityNeeded }
    ))
  ),
  ...["sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel"]
    .map(
      (check) => (
        {
          scenario: "server-stateless",
          check,
          target: "product" as const,
          protocolVersions: MODERN,
          reason: noSuchTool,
        }
      ),
    ),
  {
    scenario: "json-schema-2020-12",
    check: "json-schema-2020-12-$schema",
    target: "fixture",
    protocolVersions: ["2025-11-25", "2026-07-28"],
    reason: "a schema without $schema is 2020-12 (Overview, Schema Dialect, rule 1), so the server " +
      "saves the tokens",
  },
  {
    scenario: "json-schema-2020-12",
    check: "json-schema-2020-12-additionalProperties",
    target: "fixture",
    protocolVersions: ["2025-11-25", "2026-07-28"],
    reason:
      "google-genai cannot convert a tool whose schema has additionalProperties that are false, so the server " +
      "lists none; it refuses other arguments nevertheless",
  },
];
