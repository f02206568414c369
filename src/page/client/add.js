/** Add: a note, or files that are selected or dropped. */
import { announce, fill, h } from "./dom.js";
import { formatSize, titleOf } from "./format.js";
import { call, NoKeyError } from "./mcp.js";
import { describeError, field, heading, isAbort, knownNames, run, select } from "./parts.js";
import { documentHref, guardChanges } from "./router.js";
import { followJob, uploadFile } from "./upload.js";

/** @typedef {import("./mcp.js").Output} Output */

/** Maximum number of files of one selection. */
const MAX_FILES = 1000;

/** @param {import("./parts.js").View} view */
export async function addView(view) {
  const { main, tools } = view;
  const { collections } = await knownNames(view);
  const isBusy = { note: () => false, files: () => false };
  guardChanges(() => isBusy.note() || isBusy.files());
  const canUpload = tools.has("kb_upload_start") && tools.has("kb_upload_finish");
  fill(
    main,
    heading("Add"),
    tools.has("kb_addnote") && noteForm({ view, collections, isBusy }),
    canUpload && filesForm({ view, collections, isBusy }),
  );
}

/**
 * @typedef {object} Context
 * @property {import("./parts.js").View} view
 * @property {readonly string[]} collections
 * @property {{ note: () => boolean, files: () => boolean }} isBusy
 */

/** @param {readonly string[]} collections */
function targetFields(collections) {
  const options = collections.map((name) => /** @type {const} */ ([name, name]));
  const collection = select("collection", [
    ["", "documents"],
    ...options.filter(([name]) => name !== "documents"),
  ], "");
  const tags = h("input", { name: "tags", autocomplete: "off" });
  return {
    fields: [field("Collection", collection), field("Tags", tags, "Separated by commas")],
    input: () => ({ collection: collection.value, tags: tagsOf(tags.value) }),
  };
}

/** @param {string} text */
function tagsOf(text) {
  const tags = text.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
  return tags.length > 0 ? tags : undefined;
}

/** @param {Context} context */
function noteForm({ view: { signal }, collections, isBusy }) {
  const title = h("input", { name: "title", autocomplete: "off", maxlength: 500 });
  const text = h("textarea", { name: "text", rows: 8, required: true, spellcheck: "true" });
  const target = targetFields(collections);
  const status = h("div", {});
  const button = h("button", { type: "submit", class: "primary" }, "Add note");
  isBusy.note = () => title.value.trim() !== "" || text.value.trim() !== "";
  return h(
    "form",
    {
      class: "card",
      "aria-labelledby": "note-title",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void run({ button, status, busy: "Adding …" }, async () => {
          const output = await call("kb_addnote", {
            ...target.input(),
            title: title.value.trim(),
            text: text.value,
          });
          const job = await followJob(output, { signal, onProgress: () => {} });
          fill(status, added(job, title.value.trim() || titleOf({ text: text.value })));
          if (output.outcome === "conflict") return;
          title.value = "";
          text.value = "";
        });
      },
    },
    h("h2", { id: "note-title" }, "Note"),
    field("Title", title, "Optional"),
    field("Text (Markdown)", text),
    h("div", { class: "fields" }, ...target.fields),
    status,
    h("div", { class: "actions" }, button),
  );
}

/**
 * Says what became of a note or file.
 *
 * @param {Output} output
 * @param {string} name
 */
function added({ document_id, outcome, warning, similar = [], next, file_jobs, status }, name) {
  const link = document_id === undefined || document_id === null
    ? name
    : h("a", { href: documentHref(document_id) }, name);
  if (outcome === "conflict") return h("p", { class: "notice error", role: "alert" }, link, `: ${next}`);
  const text = outcome === "duplicate"
    ? "Stored already"
    : outcome === "replaced"
    ? "Replaced"
    : outcome === "unpacked"
    ? "Unpacked"
    : status === "expired"
    ? "Accepted"
    : "Added";
  announce(`${text}: ${name}`);
  const failed = file_jobs?.failed ?? 0;
  return h(
    "div",
    { class: failed > 0 || warning ? "notice" : "notice ok" },
    h("p", {}, `${text}: `, link),
    file_jobs &&
      h("p", {}, `Files: ${Object.entries(file_jobs).map(([state, n]) => `${n} ${state}`).join(", ")}`),
    warning && h("p", {}, warning),
    similar.length > 0 && h(
      "ul",
      {},
      ...similar.map((/** @type {Output} */ note) =>
        h(
          "li",
          {},
          "Similar: ",
          h("a", { href: documentHref(note["document_id"]) }, titleOf(note)),
          ` ${note["sentence"] ?? ""}`,
        )
      ),
    ),
  );
}

/** @param {Context} context */
function filesForm({ view: { signal }, collections, isBusy }) {
  const target = targetFields(collections);
  const rows = h("ul", { class: "rows uploads" });
  const picker = h("input", { type: "file", multiple: true, class: "sr-only", id: "files" });
  const drop = h(
    "label",
    { class: "drop", for: "files" },
    h("b", {}, "Select files"),
    " or drop them here",
    h("small", {}, "PDF, Office, e-mail, web pages, text, archives"),
  );
  const message = h("div", {});
  /** @type {(() => Promise<boolean>)[]} Uploads that wait; one returns whether the next one may be tried. */
  const queue = [];
  let isRunning = false;
  isBusy.files = () => isRunning;

  // One at a time: the server limits the unfinished uploads of a caller.
  const work = async () => {
    if (isRunning) return;
    isRunning = true;
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      if (!await next()) break;
    }
    isRunning = false;
  };

  // One at a time as well: a browser has few connections to a server.
  let following = Promise.resolve();
  const follow = (/** @type {() => Promise<void>} */ action) => {
    const followed = following.then(action);
    following = followed.catch(() => {});
    return followed;
  };

  /** @param {readonly File[]} files */
  const add = (files) => {
    fill(message);
    if (files.length > MAX_FILES) {
      return fill(
        message,
        h("p", { class: "notice error", role: "alert" }, `Add at most ${MAX_FILES} files at a time.`),
      );
    }
    const input = target.input();
    for (const file of files) {
      const { element, upload } = uploadRow(file, { input, signal, queue, work, follow });
      rows.append(element);
      queue.push(upload);
    }
    void work();
  };

  picker.addEventListener("change", () => {
    add([...picker.files ?? []]);
    picker.value = "";
  });
  for (const type of ["dragenter", "dragover"]) {
    drop.addEventListener(type, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const type of ["dragleave", "drop"]) drop.addEventListener(type, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    add([...event.dataTransfer?.files ?? []]);
  });
  // A file that is dropped next to the field would replace this page.
  for (const type of ["dragover", "drop"]) {
    addEventListener(type, (event) => event.preventDefault(), { signal });
  }
  return h(
    "section",
    { class: "card", "aria-labelledby": "files-title" },
    h("h2", { id: "files-title" }, "Files"),
    h("div", { class: "fields" }, ...target.fields),
    picker,
    drop,
    message,
    rows,
  );
}

/**
 * @param {File} file
 * @param {object} options
 * @param {Record<string, unknown>} options.input
 * @param {AbortSignal} options.signal
 * @param {(() => Promise<boolean>)[]} options.queue
 * @param {() => Promise<void>} options.work
 * @param {(action: () => Promise<void>) => Promise<void>} options.follow
 */
function uploadRow(file, { input, signal, queue, work, follow }) {
  const cancelled = new AbortController();
  const state = h("span", {}, "Waiting");
  const bar = h("progress", {
    max: Math.max(file.size, 1),
    value: 0,
    "aria-label": `Upload of ${file.name}`,
  });
  const cancel = h("button", {
    type: "button",
    "aria-label": `Cancel ${file.name}`,
    onclick: () => cancelled.abort(),
  }, "Cancel");
  const status = h("div", {}, bar);
  const element = h("li", {}, h("b", {}, file.name), factsOf(file, state), status, cancel);
  const both = AbortSignal.any([signal, cancelled.signal]);

  /** @param {unknown} error */
  const fail = (error) => {
    state.textContent = isAbort(error) ? "Cancelled" : "Failed";
    const retry = h("button", {
      type: "button",
      "aria-label": `Try ${file.name} again`,
      onclick: () => {
        fill(status, bar);
        state.textContent = "Waiting";
        queue.unshift(upload);
        void work();
      },
    }, "Try again");
    fill(
      status,
      !isAbort(error) && h("p", { class: "notice error", role: "alert" }, describeError(error)),
      !cancelled.signal.aborted && retry,
    );
  };

  const upload = async () => {
    if (!cancel.isConnected) element.append(cancel);
    bar.value = 0;
    fill(status, bar);
    try {
      both.throwIfAborted();
      state.textContent = "Sending";
      const output = await uploadFile(file, {
        input,
        signal: both,
        onProgress: (sent) => {
          bar.value = sent;
          if (sent >= file.size) state.textContent = "Reading";
        },
      });
      state.textContent = "Reading";
      // The next file is sent meanwhile.
      void follow(async () => {
        const job = await followJob(output, { signal, onProgress: (text) => state.textContent = text });
        state.textContent = "Done";
        fill(status, added(job, file.name));
      }).catch(fail);
      return true;
    } catch (error) {
      fail(error);
      // Without a key, each of the others would ask for it again.
      return !(error instanceof NoKeyError);
    } finally {
      cancel.remove();
    }
  };
  return { element, upload };
}

/** @param {File} file @param {HTMLElement} state */
function factsOf(file, state) {
  return h("p", { class: "facts" }, h("span", {}, formatSize(file.size)), state);
}
