import {
  type Document,
  type DocumentQuery,
  type DocumentTags,
  type EngineStatus,
  type Id,
  MIN_ENGINE_VERSION,
  type RouteName,
  type SearchRequest,
  type SearchResponse,
  type TagChange,
} from "../../contract/mod.ts";
import { encodeSearchPage, type SearchPage } from "../../presentation/mod.ts";
import type { CallParameters, EngineCall } from "../engine_call.ts";
import type { EngineError } from "../errors.ts";
import type { CallOptions, ChangeOptions, RequireOptions } from "../options.ts";
import { responseError } from "../response_errors.ts";
import type { Transport } from "../transport.ts";
import { invalidResponse } from "../transport_errors.ts";
import { chunkPage } from "./chunk_page.ts";
import { errorBody } from "./error_body.ts";
import { normalize } from "./normalize.ts";
import { parseResponse, type RouteResult } from "./parse_response.ts";
import { searchAnyEngine } from "./search.ts";
import { changeTags } from "./tags.ts";
import { checkVersion, hasContractVersion, lacksFeature } from "./version.ts";

/** First contract version with versions of documents, and with everything that needs them. */
const VERSIONS_SINCE = "3.3.0";
/** First contract version with `snippets` in searches. */
const SNIPPETS_SINCE = "3.6.0";
/** Maximum length of a media type or a path in a message, in UTF-16 code units. */
const MAX_DETAIL = 100;

/** Calls an engine and returns results in the terms of contract v3, or throws an `EngineError`. */
export class EngineAdapter {
  readonly #transport: Transport;
  /** Set while the engine's last status showed a version that is too old. */
  #versionError: EngineError | undefined;
  /** Version in the engine's last status, or the known one. */
  #version: string | undefined;

  /**
   * Creates an adapter. Sends no request.
   *
   * @param version Contract version of the engine, if it is known.
   */
  constructor(transport: Transport, version?: string) {
    this.#transport = transport;
    this.#version = version;
  }

  /** Calls a route that needs no emulation. */
  async call<Name extends RouteName>(
    name: Name,
    parameters: CallParameters,
    options?: CallOptions,
  ): Promise<RouteResult<Name>> {
    // The engine may have been upgraded since, so its status is requested again.
    if (this.#versionError) await this.status(options);
    return await this.#send(name, parameters, options);
  }

  /** @throws {EngineError} `engine_too_old`, as does every later call until the engine is upgraded. */
  async status(options?: CallOptions): Promise<EngineStatus> {
    const status = await this.#send("status", {}, options);
    this.#version = status.version;
    this.#versionError = checkVersion(status.version, this.#transport.engine);
    if (this.#versionError) throw this.#versionError;
    return status;
  }

  /** Rejects with `engine_too_old` if the engine does not have a feature. Requests its status only if needed. */
  async requireVersion(feature: string, options: RequireOptions = {}): Promise<void> {
    const { minimum = VERSIONS_SINCE, orUnknown = false, ...call } = options;
    if (this.#hasVersion(minimum)) return;
    // The engine may have been upgraded since its last status.
    const { version } = await this.status(call);
    if (hasContractVersion(version, minimum) ?? orUnknown) return;
    throw lacksFeature({ feature, minimum, version }, this.#transport.engine);
  }

  /** Whether the engine's last status showed an earlier contract version. */
  isBefore(version: string): boolean {
    return this.#version !== undefined && hasContractVersion(this.#version, version) !== true;
  }

  /** Whether the engine's version is known, and not earlier. */
  #hasVersion(minimum: string): boolean {
    return this.#version !== undefined && hasContractVersion(this.#version, minimum) === true;
  }

  /** Calls a route that changes a document. An engine that would ignore the condition is not called. */
  async change<Name extends RouteName>(
    name: Name,
    parameters: CallParameters,
    options: ChangeOptions = {},
  ): Promise<RouteResult<Name>> {
    if (options.ifVersion !== undefined) await this.requireVersion("if_version", callOptions(options));
    return await this.call(name, { ...parameters, change: options }, options);
  }

  /** Searches, and emulates the parameters that the engine ignored. */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResponse> {
    return searchAnyEngine(
      this.#withKnownFields(request),
      (sent) => this.call("search", { json: sent }, options),
    );
  }

  /**
   * Searches, and returns the results as a model reads them.
   *
   * @param today Date such as `2026-03-31`.
   */
  async searchPage(request: SearchRequest, today: string, options?: CallOptions): Promise<SearchPage> {
    if (this.#transport.isLocal) {
      const json = this.#withKnownFields(request);
      const found: object = await this.call("search", { json, today }, options);
      // Otherwise the engine has just left this process, and another one has responded over HTTP.
      if ("quoted" in found) return found as SearchPage;
    }
    return encodeSearchPage(await this.search(request, options), today);
  }

  /** Leaves out what only saves time: an engine of an unknown version may reject fields that it does not know. */
  #withKnownFields({ snippets, ...request }: SearchRequest): SearchRequest {
    return snippets !== undefined && this.#hasVersion(SNIPPETS_SINCE) ? { ...request, snippets } : request;
  }

  /** Fetches a document with the requested page of chunks. */
  async document(id: Id, query: DocumentQuery, options?: CallOptions): Promise<Document> {
    if (query.version !== undefined) await this.requireVersion("Reading a former version", options);
    return chunkPage(await this.call("getDocument", { id, query }, options), query);
  }

  /** Changes tags. Repairs a concurrent change if the engine ignores `remove_prefix`. */
  changeTags(id: Id, change: Partial<TagChange>, options: ChangeOptions = {}): Promise<DocumentTags> {
    let condition: ChangeOptions = options;
    return changeTags(change, {
      change: (json) => {
        const result = this.change("changeTags", { id, json }, condition);
        // A repair follows a change of this call, which has a version of its own.
        condition = { ...options, ifVersion: undefined };
        return result;
      },
      read: () => this.call("getDocument", { id, query: { chunks: false } }, options),
    });
  }

  async #send<Name extends RouteName>(
    name: Name,
    parameters: CallParameters,
    options?: CallOptions,
  ): Promise<RouteResult<Name>> {
    const call = this.#transport.prepare(name, parameters);
    const response = await this.#transport.send(call, options);
    const { status, body } = response;
    if (status < 200 || status > 299) {
      throw responseError(call, response, errorBody(call, { status, body, log: this.#transport.log }));
    }
    if (response.isLocal) return body as RouteResult<Name>;
    // RFC 9110 §9.3.5: 204 confirms a deletion.
    const isConfirmed = name === "deleteDocument" && status === 204;
    if (body === undefined && !isConfirmed) {
      const type = call.engine.sanitize(response.contentType ?? "no content type").slice(0, MAX_DETAIL);
      throw outsideContract(call, `a body that is not JSON (${type}).`, { status });
    }
    const normalized = normalize(call.name, isConfirmed ? { status: "deleted" } : body, call.id);
    const parsed = parseResponse(name, normalized, call.id);
    if ("result" in parsed) return parsed.result;
    const what = `a body outside the contract, at ${call.engine.sanitize(parsed.invalid, MAX_DETAIL)}.`;
    throw outsideContract(call, what, { status, cause: parsed.cause });
  }
}

function callOptions({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs };
}

function outsideContract(
  call: EngineCall,
  what: string,
  options: { status: number; cause?: unknown },
): EngineError {
  return invalidResponse(
    call,
    `responded to ${call.route.method} ${call.route.path} with ${what} Check that KB_ENGINE_URL is the address of a ` +
      `knowledge base engine, version ${MIN_ENGINE_VERSION} or later.`,
    { ...options, mayHaveChanged: true },
  );
}
