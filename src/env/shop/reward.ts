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
import { reduceColour, reduceColourPair } from "./colour.ts";
import { tokenSetRatio } from "./fuzzy.ts";
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
