/**
 * English stop words. They occur in most chunks, so dropping them from a query saves most of its time and
 * improves its nDCG@10. They are still indexed, for phrases and for queries that consist of stop words.
 * Function words of other languages get a low weight from their document frequency.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about above after again against all also am an and another any are around as at be because been " +
    "before being below between both but by came can come could did do does doing down during each either " +
    "etc even every few for from further get give got had has have having he her here hers him his how " +
    "i if in into is it its just like made make many may me might more most much must my never no nor not " +
    "now of off on once one only or other our out over own said same see shall she should since so some " +
    "still such take than that the their them then there these they this those through to too under until " +
    "up upon us very was way we well were what when where which while who whom why will with would you " +
    "your yours").split(" "),
);

/** Whether a word in lower case is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
