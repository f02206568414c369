/** `Node.nodeType` of the nodes of a page. */
export const ELEMENT = 1;
export const TEXT = 3;
export const COMMENT = 8;
export const DOCUMENT = 9;
export const DOCTYPE = 10;

/**
 * A node of a page: the subset of the DOM that the Markdown converter uses. Lists such
 * as `childNodes` are copies, so that a caller can change the tree while it reads them.
 */
export abstract class HtmlNode {
  parentNode: HtmlParent | null = null;
  previousSibling: HtmlNode | null = null;
  nextSibling: HtmlNode | null = null;
  firstChild: HtmlNode | null = null;
  lastChild: HtmlNode | null = null;

  constructor(readonly nodeType: number, readonly nodeName: string) {}

  abstract get textContent(): string;

  /** Returns a copy without a parent; of an element, with its attributes and without its children. */
  abstract copy(): HtmlNode;

  get childNodes(): HtmlNode[] {
    const nodes: HtmlNode[] = [];
    for (let node = this.firstChild; node; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  get nextElementSibling(): HtmlParent | null {
    let next = this.nextSibling;
    while (next && next.nodeType !== ELEMENT) next = next.nextSibling;
    return next as HtmlParent | null;
  }

  get previousElementSibling(): HtmlParent | null {
    let previous = this.previousSibling;
    while (previous && previous.nodeType !== ELEMENT) previous = previous.previousSibling;
    return previous as HtmlParent | null;
  }

  /** Removes the node from its parent. */
  remove(): void {
    const { parentNode: parent, previousSibling: previous, nextSibling: next } = this;
    if (!parent) return;
    if (previous) previous.nextSibling = next;
    else parent.firstChild = next;
    if (next) next.previousSibling = previous;
    else parent.lastChild = previous;
    this.parentNode = this.previousSibling = this.nextSibling = null;
  }
}

/** Text, a comment or a document type. */
export class HtmlLeaf extends HtmlNode {
  constructor(nodeType: typeof TEXT | typeof COMMENT | typeof DOCTYPE, public data: string) {
    super(nodeType, nodeType === TEXT ? "#text" : "#comment");
  }

  get textContent(): string {
    return this.data;
  }

  copy(): HtmlLeaf {
    return new HtmlLeaf(this.nodeType as typeof TEXT, this.data);
  }
}

/** A node with children: an element or a document. */
export abstract class HtmlParent extends HtmlNode {
  constructor(nodeType: typeof ELEMENT | typeof DOCUMENT, nodeName: string, readonly localName: string) {
    super(nodeType, nodeName);
  }

  get firstElementChild(): HtmlParent | null {
    const { firstChild: first } = this;
    return first === null || first.nodeType === ELEMENT
      ? first as HtmlParent | null
      : first.nextElementSibling;
  }

  get lastElementChild(): HtmlParent | null {
    const { lastChild: last } = this;
    return last === null || last.nodeType === ELEMENT
      ? last as HtmlParent | null
      : last.previousElementSibling;
  }

  get children(): HtmlParent[] {
    const elements: HtmlParent[] = [];
    for (let node = this.firstElementChild; node; node = node.nextElementSibling) elements.push(node);
    return elements;
  }

  get textContent(): string {
    let text = "";
    for (let node = this.firstChild; node; node = following(node, this)) {
      if (node.nodeType === TEXT) text += (node as HtmlLeaf).data;
    }
    return text;
  }

  /**
   * Returns the descendants with one of the names in document order, without the content of templates.
   *
   * @param names In lower case.
   */
  getElementsByTagName(...names: string[]): HtmlParent[] {
    const elements: HtmlParent[] = [];
    const only = names.length === 1 ? names[0] : undefined;
    let node = this.firstChild;
    while (node) {
      if (node.nodeType === ELEMENT) {
        const { localName } = node as HtmlParent;
        if (only === undefined ? names.includes(localName) : localName === only) {
          elements.push(node as HtmlParent);
        }
        if (localName === "template") {
          node = followingSubtree(node, this);
          continue;
        }
      }
      node = following(node, this);
    }
    return elements;
  }

  /** Returns the descendants that match a selector. Supports only names, separated by commas. */
  querySelectorAll(names: string): HtmlParent[] {
    return this.getElementsByTagName(...names.toLowerCase().split(","));
  }

  appendChild<Node extends HtmlNode>(node: Node): Node {
    return this.insertBefore(node, null);
  }

  insertBefore<Node extends HtmlNode>(node: Node, before: HtmlNode | null): Node {
    if (node as HtmlNode === before) return node;
    node.remove();
    const previous = before ? before.previousSibling : this.lastChild;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = before;
    if (previous) previous.nextSibling = node;
    else this.firstChild = node;
    if (before) before.previousSibling = node;
    else this.lastChild = node;
    return node;
  }

  removeChild<Node extends HtmlNode>(node: Node): Node {
    node.remove();
    return node;
  }

  replaceChild<Node extends HtmlNode>(node: HtmlNode, replaced: Node): Node {
    const next = replaced.nextSibling;
    replaced.remove();
    this.insertBefore(node, next);
    return replaced;
  }

  /** Returns a copy of the node and its descendants. */
  cloneNode(): this {
    const root = this.copy() as this;
    let parent: HtmlParent = root;
    for (let node = this.firstChild; node;) {
      const copied = parent.appendChild(node.copy());
      if (node.firstChild) {
        node = node.firstChild;
        parent = copied as HtmlParent;
        continue;
      }
      while (node !== this && !node!.nextSibling) {
        node = node!.parentNode;
        parent = parent.parentNode ?? root;
      }
      node = node === this ? null : node!.nextSibling;
    }
    return root;
  }
}

/** Returns the node after `node` in document order inside `root`. */
export function following(node: HtmlNode, root: HtmlNode): HtmlNode | null {
  return node.firstChild ?? followingSubtree(node, root);
}

/** Returns the node after `node` and its descendants in document order inside `root`. */
export function followingSubtree(node: HtmlNode, root: HtmlNode): HtmlNode | null {
  let at: HtmlNode | null = node;
  while (at && at !== root) {
    if (at.nextSibling) return at.nextSibling;
    at = at.parentNode;
  }
  return null;
}
