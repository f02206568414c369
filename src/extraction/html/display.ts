/** Elements that start a new block (those of turndown). */
export const BLOCKS = new Set(
  ("ADDRESS ARTICLE ASIDE AUDIO BLOCKQUOTE BODY CANVAS CAPTION CENTER DD DETAILS DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER " +
    "FORM FRAMESET H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML ISINDEX LI MAIN MENU NAV NOFRAMES NOSCRIPT OL OUTPUT P " +
    "PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL").split(" "),
);
/** Elements without content. */
export const VOIDS = new Set(
  "AREA BASE BR COL COMMAND EMBED HR IMG INPUT KEYGEN LINK META PARAM SOURCE TRACK WBR".split(" "),
);
/** Elements that count as content although they have no text. */
export const MEANINGFUL = new Set("A TABLE THEAD TBODY TFOOT TH TD IFRAME SCRIPT AUDIO VIDEO".split(" "));
/** Elements that are not displayed. */
export const INVISIBLE = new Set(
  "SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT SVG CANVAS HEAD TITLE".split(" "),
);
