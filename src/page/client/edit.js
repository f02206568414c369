/** The form that edits a note, or the title of another document. What was typed stays until it is saved. */
import { announce, fill, h } from "./dom.js";
import { formatTime } from "./format.js";
import { call } from "./mcp.js";
import { field, run } from "./parts.js";
import { guardChanges } from "./router.js";
import { wholeText } from "./text.js";

/** @typedef {import("./mcp.js").Output} Output */

/**
 * @param {object} options
 * @param {Output} options.details Of the document, with the version that the form shows.
 * @param {boolean} options.canEditText
 * @param {AbortSignal} options.signal
 * @param {() => void} options.onDone Called after the changes were saved or dropped.
 */
export async function editForm({ details, canEditText, signal, onDone }) {
  const { document_id, title = "" } = details;
  const loaded = canEditText
    ? await wholeText(document_id, signal)
    : { text: "", version: details["version"] };
  let { version } = loaded;
  const titleInput = h("input", { name: "title", value: title ?? "", maxlength: 500, autocomplete: "off" });
  const textInput = h("textarea", { name: "text", rows: 18, required: true, spellcheck: "true" });
  textInput.value = loaded.text;
  // Browsers normalize line ends.
  const initial = textInput.value;
  const status = h("div", {});
  const save = h("button", { type: "submit", class: "primary" }, "Save");

  const isTitleChanged = () => titleInput.value.trim() !== (title ?? "") && titleInput.value.trim() !== "";
  const isTextChanged = () => canEditText && textInput.value !== initial;
  guardChanges(() => isTitleChanged() || isTextChanged());
  const done = () => {
    guardChanges(() => false);
    onDone();
  };

  const submit = async () => {
    if (!isTitleChanged() && !isTextChanged()) return done();
    const changedTitle = isTitleChanged() ? titleInput.value.trim() : undefined;
    const common = { document_id, title: changedTitle, if_version: version };
    const output = isTextChanged()
      ? await call("kb_update_note", { ...common, text: textInput.value })
      : await call("kb_edit", common);
    if (output.outcome === "conflict") return showConflict(output);
    announce("Saved");
    done();
  };

  /** @param {Output} conflict */
  const showConflict = (conflict) => {
    const current = h("div", {});
    const show = h("button", {
      type: "button",
      onclick: () =>
        run({ button: show, status: current }, async () => {
          const { text } = canEditText
            ? await wholeText(document_id, signal)
            : { text: conflict.title ?? "" };
          fill(current, h("pre", { class: "current", tabindex: "0", "aria-label": "Current text" }, text));
        }),
    }, "Show the current text");
    const overwrite = h("button", {
      type: "button",
      class: "danger",
      onclick: () => {
        version = conflict.version;
        void run({ button: save, status, busy: "Saving …" }, submit);
      },
    }, "Save mine over it");
    fill(
      status,
      h(
        "div",
        { class: "notice error", role: "alert" },
        h(
          "p",
          {},
          `Not saved: ${conflict.changed_by ?? "somebody"} changed this document on ${
            formatTime(conflict.changed_at)
          }, after you opened it. Your changes are still in this form.`,
        ),
        h("div", { class: "actions" }, show, overwrite),
        current,
      ),
    );
  };

  return h(
    "form",
    {
      class: "edit",
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void run({ button: save, status, busy: "Saving …" }, submit);
      },
    },
    field("Title", titleInput),
    canEditText && field("Text (Markdown)", textInput),
    status,
    h("div", { class: "actions" }, h("button", { type: "button", onclick: onDone }, "Cancel"), save),
  );
}
