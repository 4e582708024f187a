/**
 * Token-set ratio, 0 to 100: how alike two texts are when word order and repetition do not count.
 *
 * Both texts lose everything outside ASCII, are lower-cased, and every character that is neither letter, digit nor
 * underscore becomes a blank. With I the words they share and L, R the words only one has, each sorted and joined,
 *
 *   result = max( ratio(I, I L), ratio(I, I R), ratio(I L, I R) ),   ratio(x, y) = round(100 * 2 LCS / (|x| + |y|))
 *
 * LCS is the length of the longest common subsequence, so the ratio is that of edits by insertion and deletion.
 * This is the measure of Python's thefuzz, which WebShop uses; the words of one text among those of the other give 100.
 */
export function tokenSetRatio(left: string, right: string): number {
  const leftWords = words(left);
  const rightWords = words(right);
  // A text without a single word is like nothing, not even itself.
  if (leftWords.size === 0 || rightWords.size === 0) return 0;
  const shared = [...leftWords].filter((word) => rightWords.has(word)).sort();
  const onlyLeft = [...leftWords].filter((word) => !rightWords.has(word)).sort();
  const onlyRight = [...rightWords].filter((word) => !leftWords.has(word)).sort();
  if (shared.length > 0 && (onlyLeft.length === 0 || onlyRight.length === 0)) return 100;
  const common = shared.join(" ");
  const leftText = [...shared, ...onlyLeft].join(" ");
  const rightText = [...shared, ...onlyRight].join(" ");
  return Math.max(ratio(common, leftText), ratio(common, rightText), ratio(leftText, rightText));
}

function words(text: string): Set<string> {
  const plain = text
    .replaceAll(/[\u0080-\uffff]/g, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]/g, " ");
  return new Set(plain.split(" ").filter((word) => word !== ""));
}

function ratio(left: string, right: string): number {
  if (left.length === 0 || right.length === 0) return 0;
  return Math.round((200 * commonSubsequence(left, right)) / (left.length + right.length));
}

/** One row of the usual table: row[j] is the answer for what was read of `left` and the first j of `right`. */
function commonSubsequence(left: string, right: string): number {
  const row = new Int32Array(right.length + 1);
  for (let i = 0; i < left.length; i += 1) {
    const code = left.charCodeAt(i);
    let diagonal = 0;
    for (let j = 0; j < right.length; j += 1) {
      const above = row[j + 1] as number;
      row[j + 1] = code === right.charCodeAt(j) ? diagonal + 1 : Math.max(above, row[j] as number);
      diagonal = above;
    }
  }
  return row[right.length] as number;
}
