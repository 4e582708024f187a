/** Words of goals, in the form in which skills are found by them. */

/** They stand in every goal and say nothing about what it is about. */
const FUNCTION_WORDS = new Set(
  (
    "a an and any as at be by do find for from get i if in into is it its me my of off on one or our out over please " +
    "some that the their them then there these this to two under up us using want was we with you your"
  ).split(" "),
);

export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}

/** Beyond this a text is a document, and its beginning says what it is about. */
const LONGEST_COMPARED = 4000;

/** Scripts that part their words by no space. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

const cutter = new Intl.Segmenter("en", { granularity: "word" });

/** Different words that say something, in lower case; a plural counts as its singular. */
export function tellingWords(text: string): Set<string> {
  const lower = text.slice(0, LONGEST_COMPARED).normalize("NFC").toLowerCase();
  const words = (isUnspaced(lower) ? cutWords(lower) : lower.match(/[\p{L}\p{M}\p{N}]+/gu)) ?? [];
  return new Set(words.filter((word) => !isFunctionWord(word)).map(singular));
}

function cutWords(text: string): string[] {
  return [...cutter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}

export function singular(word: string): string {
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}
