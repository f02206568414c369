import { BLOCKS, VOIDS } from "./display.ts";
import { ELEMENT, type HtmlLeaf, type HtmlNode, type HtmlParent, TEXT } from "./node.ts";

/**
 * Collapses white space in the text of an element as browsers display it, except in `pre`, and removes comments.
 * Changes the tree.
 */
export function collapseSpaces(root: HtmlParent): void {
  /** The last text of the current line. */
  let previous: HtmlLeaf | undefined;
  let keepsLeadingSpace = false;
  const trimLine = () => {
    if (previous?.data.endsWith(" ")) previous.data = previous.data.slice(0, -1);
  };
  const startOrEnd = ({ nodeName }: HtmlNode) => {
    if (BLOCKS.has(nodeName) || nodeName === "BR") {
      trimLine();
      previous = undefined;
      keepsLeadingSpace = false;
    } else if (VOIDS.has(nodeName)) {
      previous = undefined;
      keepsLeadingSpace = true;
    } else if (previous) {
      keepsLeadingSpace = false;
    }
  };
  const visitChildren = (parent: HtmlParent) => {
    for (let node = parent.firstChild, next: HtmlNode | null; node; node = next) {
      next = node.nextSibling;
      if (node.nodeType === TEXT) {
        const leaf = node as HtmlLeaf;
        let text = leaf.data.replace(/[ \r\n\t]+/g, " ");
        if (text[0] === " " && !keepsLeadingSpace && (!previous || previous.data.endsWith(" "))) {
          text = text.slice(1);
        }
        if (text === "") {
          node.remove();
        } else {
          leaf.data = text;
          previous = leaf;
        }
      } else if (node.nodeType === ELEMENT) {
        startOrEnd(node);
        if (node.firstChild && node.nodeName !== "PRE") {
          visitChildren(node as HtmlParent);
          startOrEnd(node);
        }
      } else {
        node.remove();
      }
    }
  };
  visitChildren(root);
  trimLine();
  if (previous?.data === "") previous.remove();
}
