import type { HtmlDocument, HtmlElement } from "./element.ts";
import { ELEMENT, following, followingSubtree, type HtmlLeaf, type HtmlNode, TEXT } from "./node.ts";

/** Elements that are not part of the text. */
const INVISIBLE = new Set(
  "script style noscript template iframe svg dialog select button input textarea option datalist".split(" "),
);
/** Elements around the text of a page. */
const SURROUNDINGS = new Set(["nav", "footer"]);
/** Roles of elements around the text of a page. */
const SURROUNDING_ROLES = new Set(["navigation", "search", "banner", "contentinfo"]);
/** Classes of elements around the text of a page, in common documentation generators and content systems. */
const SURROUNDING_CLASS =
  /(?:^|\s)(?:nav|navbar|docnav|navheader|navfooter|navigation|breadcrumbs?|headerlink|anchor-link|sphinxsidebar|related|skip-?link|skip-to-content|cookie-(?:banner|notice|consent)|site-(?:header|footer|nav)|page-?nav|prev-next)(?:\s|$)/;
/** Maximum share of the page that an element with such a class may have. */
const MAX_SURROUNDING_SHARE = 0.3;
/** Elements that may hold a menu. */
const MENUS = new Set("ul ol div table aside section header form td".split(" "));
/** A block with at least this many links… */
const MIN_MENU_LINKS = 4;
/** …that have at least this share of its characters… */
const MIN_LINK_SHARE = 0.8;
/** …each short, is a menu. */
const MAX_MENU_LINK_CHARS = 50;
/** Menus are removed unless they have more than this share of the page: lists of links are the text of some pages. */
const MAX_MENU_SHARE = 0.5;
/** Minimum share of the page's characters that its `main` must have to replace it. */
const MIN_MAIN_SHARE = 0.6;

/**
 * Removes what is not the text of a page: scripts, hidden elements, navigation and menus.
 *
 * @returns The element with the text. Text outside of `main` is kept unless it is a minor part.
 */
export function mainContent(page: HtmlDocument): HtmlElement {
  const body = visibleContent(page);
  const isEmptyWithout = countChars(body, isSurrounding) === 0;
  if (!isEmptyWithout) removeElements(page, isSurrounding);
  removeMenus(body);
  removeByClass(page, body);
  const total = countChars(body);
  const mains = (page.getElementsByTagName("main", "article", "div", "section") as HtmlElement[])
    .filter((each) => each.localName === "main" || each.getAttribute("role") === "main");
  const [main] = mains;
  return main && mains.length === 1 && countChars(main) >= total * MIN_MAIN_SHARE ? main : body;
}

/** Removes scripts, hidden elements and form fields. Returns the body. */
export function visibleContent(page: HtmlDocument): HtmlElement {
  removeElements(page, isInvisible);
  const { body } = page;
  // Browsers display text after the end of the body as a part of it.
  for (let node = body.nextSibling; node; node = body.nextSibling) body.appendChild(node);
  return body;
}

function removeElements(page: HtmlDocument, isRemoved: (element: HtmlElement) => boolean): void {
  for (let node: HtmlNode | null = page.firstChild, next; node; node = next) {
    const removes = node.nodeType === ELEMENT && isRemoved(node as HtmlElement);
    next = removes ? followingSubtree(node, page) : following(node, page);
    if (removes) node.remove();
  }
}

function isInvisible(element: HtmlElement): boolean {
  if (INVISIBLE.has(element.localName) || element.hasAttribute("hidden")) return true;
  if (element.getAttribute("aria-hidden") === "true") return true;
  const style = element.getAttribute("style");
  return style !== null && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/** Removes the links of headings to themselves, which would be a part of titles. */
export function removePermalinks(page: HtmlDocument): void {
  removeElements(page, isPermalink);
}

/** Whether an element is the link of a heading to itself, with a sign instead of words. */
function isPermalink(element: HtmlElement): boolean {
  if (element.localName !== "a" || !element.getAttribute("href")?.startsWith("#")) return false;
  const { firstChild } = element;
  // A nested text would be read again for each link around it.
  return firstChild?.nodeType === TEXT && firstChild.nextSibling === null &&
    /^\s*(?:#|¶|🔗)\s*$/u.test(firstChild.textContent);
}

function isSurrounding(element: HtmlElement): boolean {
  if (SURROUNDING_ROLES.has(element.getAttribute("role") ?? "")) return true;
  if (!SURROUNDINGS.has(element.localName)) return false;
  // The footer of an article or a quotation is part of it.
  for (let parent = element.parentNode; parent; parent = parent.parentNode) {
    if (/^(?:ARTICLE|MAIN|BLOCKQUOTE|FIGURE|TABLE)$/.test(parent.nodeName)) {
      return element.localName === "nav";
    }
  }
  return true;
}

/** Removes elements with the class of a navigation bar, unless they have much of the text. */
function removeByClass(page: HtmlDocument, body: HtmlElement): void {
  const counts = countLinks(body);
  const maxChars = (counts.get(body)?.chars ?? 0) * MAX_SURROUNDING_SHARE;
  removeElements(page, (element) =>
    element !== body && SURROUNDING_CLASS.test(element.className) &&
    (counts.get(element)?.chars ?? 0) <= maxChars);
}

/** Text of a subtree, without white space. */
interface TextCounts {
  chars: number;
  linkChars: number;
  links: number;
}

/** Removes blocks of many short links, the outermost ones first. */
function removeMenus(body: HtmlElement): void {
  const counts = countLinks(body);
  const total = counts.get(body)?.chars ?? 0;
  const menus: HtmlNode[] = [];
  let chars = 0;
  for (let node: HtmlNode | null = body.firstChild, next; node; node = next) {
    const found: TextCounts | undefined = counts.get(node);
    const isMenu = found !== undefined && MENUS.has((node as HtmlElement).localName) &&
      found.links >= MIN_MENU_LINKS && found.linkChars >= found.chars * MIN_LINK_SHARE &&
      found.linkChars / found.links <= MAX_MENU_LINK_CHARS;
    next = isMenu ? followingSubtree(node, body) : following(node, body);
    if (!isMenu) continue;
    menus.push(node);
    chars += found.chars;
  }
  if (chars <= total * MAX_MENU_SHARE) { for (const menu of menus) menu.remove(); }
}

/** Counts the text of each element and its links, in one pass. */
function countLinks(root: HtmlElement): Map<HtmlNode, TextCounts> {
  const counts = new Map<HtmlNode, TextCounts>();
  const visit = (parent: HtmlElement, inLink: boolean): TextCounts => {
    const sum: TextCounts = { chars: 0, linkChars: 0, links: 0 };
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === TEXT) {
        const chars = countText((node as HtmlLeaf).data);
        sum.chars += chars;
        if (inLink) sum.linkChars += chars;
      } else if (node.nodeType === ELEMENT) {
        const isLink = node.nodeName === "A" && (node as HtmlElement).hasAttribute("href");
        const inner = visit(node as HtmlElement, inLink || isLink);
        sum.chars += inner.chars;
        sum.linkChars += inner.linkChars;
        sum.links += inner.links + (isLink ? 1 : 0);
      }
    }
    counts.set(parent, sum);
    return sum;
  };
  visit(root, false);
  return counts;
}

/** Counts the characters of an element's text that are not white space, without some elements. */
function countChars(root: HtmlElement, without: (element: HtmlElement) => boolean = () => false): number {
  let chars = 0;
  for (let node: HtmlNode | null = root.firstChild; node;) {
    if (node.nodeType === TEXT) chars += countText((node as HtmlLeaf).data);
    const skips = node.nodeType === ELEMENT && without(node as HtmlElement);
    node = skips ? followingSubtree(node, root) : following(node, root);
  }
  return chars;
}

function countText(text: string): number {
  let chars = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x20) chars++;
  return chars;
}
