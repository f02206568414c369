import { skipSpace, skipSpaceBack } from "../whitespace.ts";
import { MEANINGFUL, VOIDS } from "./display.ts";
import { ELEMENT, type HtmlLeaf, type HtmlNode, type HtmlParent, TEXT } from "./node.ts";

/** White space at the start and the end of a node's text. */
export interface TextEdges {
  readonly leading: string;
  /** Equal to `leading` if all text is white space. */
  readonly trailing: string;
  /** Whether all text is white space. */
  readonly isSpace: boolean;
  /** Whether the node has no text and no descendants that count as content. */
  readonly isBlank: boolean;
}

/** Returns the edges of each element below `root`, in time linear in the size of the tree. */
export function measureEdges(root: HtmlParent): Map<HtmlNode, TextEdges> {
  const measured = new Map<HtmlNode, TextEdges>();
  const visit = (parent: HtmlParent): TextEdges => {
    let leading = "";
    let trailing = "";
    let isSpace = true;
    let isBlank = true;
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.nodeType !== TEXT && node.nodeType !== ELEMENT) continue;
      const edges = node.nodeType === TEXT ? edgesOfText((node as HtmlLeaf).data) : visit(node as HtmlParent);
      if (isSpace) leading += edges.leading;
      trailing = edges.isSpace ? trailing + edges.trailing : edges.trailing;
      isSpace &&= edges.isSpace;
      isBlank &&= edges.isBlank;
    }
    isBlank &&= !VOIDS.has(parent.nodeName) && !MEANINGFUL.has(parent.nodeName);
    const edges = { leading, trailing, isSpace, isBlank };
    measured.set(parent, edges);
    return edges;
  };
  visit(root);
  return measured;
}

/** Returns the edges of a text. */
export function edgesOfText(text: string): TextEdges {
  const start = skipSpace(text, 0, text.length);
  const leading = text.slice(0, start);
  if (start === text.length) return { leading, trailing: leading, isSpace: true, isBlank: true };
  const end = skipSpaceBack(text, start, text.length);
  return { leading, trailing: text.slice(end), isSpace: false, isBlank: false };
}
