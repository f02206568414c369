import { type ReadResult, ResourceNotFoundError, type Resources } from "../../src/resources/mod.ts";
import { RED_PIXEL } from "./fixture_samples.ts";

const contents = new Map<string, ReadResult>([
  ["test://static-text", {
    contents: [{
      uri: "test://static-text",
      mimeType: "text/plain",
      text: "This is the content of the static text resource.",
    }],
    ttlMs: 0,
  }],
  ["test://static-binary", {
    contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: RED_PIXEL }],
    ttlMs: 0,
  }],
]);

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** Resources that the suite requires. */
export const fixtureResources: Resources = {
  list: () =>
    [...contents.values()].flatMap((result) => result.contents).map(({ uri, mimeType }) => ({
      uri,
      name: uri.replace("test://", ""),
      title: uri,
      description: "Test fixture of the conformance suite.",
      mimeType,
    })),
  templates: [{
    uriTemplate: "test://template/{id}/data",
    name: "template",
    title: "Template",
    description: "Test fixture of the conformance suite.",
    mimeType: "application/json",
  }],
  read: (uri) => {
    const [, id] = TEMPLATE.exec(uri) ?? [];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return Promise.resolve({ contents: [{ uri, mimeType: "application/json", text }], ttlMs: 0 });
    }
    const found = contents.get(uri);
    return found
      ? Promise.resolve(found)
      : Promise.reject(new ResourceNotFoundError(uri, "Resource not found"));
  },
  complete: (uriTemplate) =>
    Promise.resolve(uriTemplate === "test://template/{id}/data" ? { values: ["123"] } : undefined),
};
