/**
 * Creates elements. Texts of documents are not trusted: they become text nodes and attribute values, and nothing in
 * this page parses markup. The policy of the page (`require-trusted-types-for`) makes browsers refuse it as well.
 */

/** @typedef {Node | string | number | null | undefined | false | readonly (Node | string | null | undefined | false)[]} Child */

/**
 * Creates an element.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Readonly<Record<string, unknown>>} [attributes] Functions are listeners (`onclick`); true is an attribute
 *   without a value; false, null and undefined are left out.
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name.startsWith("on")) {
      throw new TypeError(`Cannot set ${name}: a listener must be a function`);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...nodes(children));
  return element;
}

/**
 * Replaces the children of an element.
 *
 * @param {Element} element
 * @param {Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * Returns an id for a label or description.
 *
 * @param {string} prefix
 */
export function uniqueId(prefix) {
  return `${prefix}-${++lastId}`;
}

let lastId = 0;

/**
 * Returns a link to a web address from a document, or its text if it is another kind of URL, such as `javascript:`.
 *
 * @param {string} text
 * @returns {Node}
 */
export function webLink(text) {
  const url = /^https?:\/\//i.test(text) && text.length <= 2000 ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return document.createTextNode(text);
  return h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, text);
}

/**
 * Lets screen readers say a short text.
 *
 * @param {string} text
 */
export function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => child instanceof Node ? child : String(child));
}
