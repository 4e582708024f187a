/**
 * The score of a purchase, 0 to 1, as in WebShop.
 *
 *   score = type * (a + o + p) / (|A| + |O| + 1)
 *
 * A and O are the goal's attributes and options; a and o count those that are met, p is 1 when the price is within the
 * cap. The type term is 1 for the same kind of thing and falls to 0.5, 0.1 or 0 with what the titles share.
 *
 * Paper: WebShop, arXiv 2207.01206, section 3. Where the paper and the published code differ, this follows the code.
 */
import type { Goal } from "./goal.ts";
import type { Product } from "./product.ts";

/** Two texts mean the same when their token-set ratio is above this. */
const ALIKE = 85;

/** Lower-case nouns of a title, in order, repetitions included. */
export type NounTagger = (title: string) => readonly string[];

/** The score and the terms it is made of. */
export interface Purchase {
  readonly score: number;
  readonly type: number;
  readonly titleOverlap: number;
  readonly attributes: number;
  readonly options: number;
  readonly price: 0 | 1;
}

/** `chosen` are the values clicked, at most one per option of the product. */
export function scorePurchase(
  product: Product,
  chosen: readonly string[],
  goal: Goal,
  goalProduct: Product,
  nouns: NounTagger,
): Purchase {
  const titleOverlap = overlap(nouns(product.title), nouns(goalProduct.title));
  const type = typeTerm(product, goalProduct, titleOverlap);
  const attributes = goal.attributes.filter((attribute) => hasAttribute(product, attribute)).length;
  const options = metOptions(goal, chosen);
  const price = product.price <= goal.priceCap ? 1 : 0;
  const parts = goal.attributes.length + goal.options.length + 1;
  return { score: type * ((attributes + options + price) / parts), type, titleOverlap, attributes, options, price };
}

function typeTerm(product: Product, wanted: Product, titleOverlap: number): number {
  if (titleOverlap === 0) return 0;
  if (titleOverlap < 0.1) return 0.1;
  const sameQuery = product.query === wanted.query;
  return sameQuery || sharedDepartments(product, wanted) >= 2 || titleOverlap > 0.2 ? 1 : 0.5;
}

/**
 * Different nouns in both titles over all nouns of the wanted one; a noun that stands there twice counts twice below
 * the line, as in the original. A wanted title without nouns counts as 0.2.
 */
function overlap(bought: readonly string[], wanted: readonly string[]): number {
  if (wanted.length === 0) return 0.2;
  const known = new Set(wanted);
  return new Set(bought.filter((noun) => known.has(noun))).size / wanted.length;
}

function sharedDepartments(product: Product, wanted: Product): number {
  const known = departments(wanted);
  return [...departments(product)].filter((department) => known.has(department)).length;
}

function departments(product: Product): Set<string> {
  return new Set(product.productCategory.split("›").map((department) => department.trim()));
}

function hasAttribute(product: Product, attribute: string): boolean {
  return (
    product.attributes.some((own) => tokenSetRatio(own, attribute) > ALIKE) ||
    product.title.toLowerCase().includes(attribute) ||
    product.bullets.join(" ").toLowerCase().includes(attribute) ||
    product.description.toLowerCase().includes(attribute)
  );
}

function metOptions(goal: Goal, chosen: readonly string[]): number {
  const values = chosen.map(reduceColour);
  const wanted = goal.options.map(({ name, value }) =>
    name === undefined ? reduceColour(value) : reduceColourPair(name, value),
  );
  return wanted.filter((text) => values.some((value) => tokenSetRatio(value, text) > ALIKE)).length;
}

/**
 * Reduces a colour name to its first basic colour, in the order of this list: "light blue" is "blue", since "blue"
 * stands before "light". Substrings count, as in the original: "tanned oak" is "tan".
 *
 * The words and their order are those WebShop compares by; another order would give other scores.
 */
const COLOURS = `
  alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo
  caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream crystal
  dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather indigo ivory
  ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor mushroom
  mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand sapphire
  seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white
  wine yellow
`
  .trim()
  .split(/\s+/);

/** A text that holds no colour is returned as it is. */
export function reduceColour(text: string): string {
  return COLOURS.find((colour) => text.includes(colour)) ?? text;
}

/**
 * A pair of option name and value as the original compares it. Its test "is this colour in it" asks a pair for a
 * member, not for a substring: only a name or value that is exactly a colour is reduced, any other pair is compared
 * as the words of both.
 */
export function reduceColourPair(name: string, value: string): string {
  return COLOURS.find((colour) => colour === name || colour === value) ?? `${name} ${value}`;
}

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
