/** Modal dialogs: a question, and the key of the server. */
import { h, uniqueId } from "./dom.js";
import { keepKey } from "./session.js";
import { NoKeyError } from "./mcp.js";

/**
 * Asks a question.
 *
 * @param {{ title: string, text: string, action: string, cancel?: string, isDangerous?: boolean }} question
 * @returns {Promise<boolean>}
 */
export function confirmDialog({ title, text, action, cancel = "Cancel", isDangerous = false }) {
  const { dialog, closed } = open(title, [
    h("p", {}, text),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", onclick: () => dialog.close("") }, cancel),
      h(
        "button",
        { type: "button", class: isDangerous ? "danger" : "primary", onclick: () => dialog.close("yes") },
        action,
      ),
    ),
  ]);
  return closed.then((value) => value === "yes");
}

/**
 * Asks for the key and keeps it.
 *
 * @param {string} reason Why the former key was refused; "" the first time.
 * @returns {Promise<void>}
 * @throws {NoKeyError} When the dialog is closed.
 */
export async function keyDialog(reason) {
  const id = uniqueId("key");
  const input = h("input", {
    id,
    type: "password",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-hint`,
  });
  const { dialog, closed } = open("Key of the server", [
    h("p", { id: `${id}-hint` }, "It is kept in this tab only, until you close it or sign out."),
    reason !== "" && h("p", { class: "notice error", role: "alert" }, reason),
    h(
      "form",
      {
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          const value = input.value.trim();
          // Other characters cannot be sent in a header.
          if (!/^[\x21-\x7e]+$/.test(value)) {
            input.setCustomValidity("A key has visible ASCII characters and no spaces.");
            input.reportValidity();
            return;
          }
          keepKey(value);
          dialog.close("kept");
        },
      },
      h("label", { for: id }, "Key"),
      input,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", onclick: () => dialog.close("") }, "Cancel"),
        h("button", { type: "submit", class: "primary" }, "Continue"),
      ),
    ),
  ]);
  input.addEventListener("input", () => input.setCustomValidity(""));
  input.focus();
  if (await closed !== "kept") throw new NoKeyError();
}

/**
 * @param {string} title
 * @param {import("./dom.js").Child[]} content
 */
function open(title, content) {
  const id = uniqueId("dialog");
  const dialog = h("dialog", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
  /** @type {Promise<string>} */
  const closed = new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, closed };
}
