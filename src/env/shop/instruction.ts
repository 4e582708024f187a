/**
 * Goals for the generated catalogue. Half are synthetic, in the fixed form of the official ones (options as pairs, all
 * of them named); half are worded as a person might put it, with plain option values, and not always all of them.
 */
import { createRng, EngineError, shuffle, type Rng } from "../../base/index.ts";
import { distinctGoals, drawPriceCap, NO_CAP, optionClause, priceClause, type Goal, type GoalOption } from "./goal.ts";
import type { Catalogue, Product } from "./product.ts";
import { shopWords } from "./stock.ts";
import { choose, describe } from "./wording.ts";

export interface GenerateGoalsOptions {
  readonly seed: number;
  readonly goalsPerProduct: number;
}

interface Wish {
  readonly article: string;
  readonly noun: string;
  readonly attributes: readonly string[];
  readonly options: readonly Required<GoalOption>[];
  readonly priceCap: number;
}

/**
 * The goals of every product in order, no two with the same words.
 *
 * @example
 * import { generateCatalogue } from "limbeck/env/shop";
 *
 * const goals = generateGoals(generateCatalogue({ products: 3, seed: 1 }), { seed: 1, goalsPerProduct: 1 });
 * console.log(goals[0]?.instruction); // Buy me sulfate free hair shampoo with size: 32 fl oz, and scent: coconut milk, and pack: pack of 3, and price lower than 30.00 dollars
 */
export function generateGoals({ products }: Catalogue, { seed, goalsPerProduct }: GenerateGoalsOptions): Goal[] {
  if (!(Number.isInteger(goalsPerProduct) && goalsPerProduct >= 1)) {
    throw new EngineError("bad-option", `${goalsPerProduct} goals per product is not a whole number of at least 1.`);
  }
  const rng = createRng(`shop goals ${seed}`);
  const articles = new Map(shopWords().stock.flatMap(({ types }) => types.map(({ noun, article }) => [noun, article])));
  const goals = products.flatMap((product, position) => {
    const own = rng.split(product.asin);
    const article = articles.get(product.query) ?? "a";
    return Array.from({ length: goalsPerProduct }, () => makeGoal(product, position, article, own));
  });
  return distinctGoals(goals);
}

function makeGoal(product: Product, position: number, article: string, rng: Rng): Goal {
  const attributes = shuffle(product.attributes, rng).slice(0, 1 + rng.int(3));
  const options = product.options.map(({ name, values }) => ({ name, value: choose(values, rng) }));
  const priceCap = drawPriceCap(product.price, rng);
  const wish = { article, noun: product.query, attributes, priceCap };
  if (rng.float() < 0.5) {
    const instruction = writeSynthetic({ ...wish, options }, rng);
    return { product: position, instruction, attributes, options, priceCap };
  }
  const named = options.filter(() => rng.float() < 0.75);
  const instruction = writeHuman({ ...wish, options: named }, rng);
  return { product: position, instruction, attributes, options: named.map(({ value }) => ({ value })), priceCap };
}

function writeSynthetic({ noun, attributes, options, priceCap }: Wish, rng: Rng): string {
  const thing = describe(attributes, noun, ", ");
  const opening = choose(["Order", "Get me", "Buy me"], rng);
  return `${opening} ${thing}${optionClause(options)}${priceClause(priceCap)}`;
}

function writeHuman(wish: Wish, rng: Rng): string {
  const { article, noun, attributes, options, priceCap } = wish;
  const [first = "", ...rest] = attributes;
  const thing = `${fixArticle(article, describe([first], noun))} ${describe([first], noun)}`.trim();
  const opening = choose(
    [
      `i'm after ${thing}`,
      `could you pick out ${thing} for me`,
      `we have run out and need ${thing}`,
      `i want ${thing}`,
    ],
    rng,
  );
  const more =
    rest.length === 0 ? "" : choose([`, it has to be ${rest.join(" and ")}`, `, also ${rest.join(", ")}`], rng);
  const variant = options.length === 0 ? "" : `, ${options.map((option) => wordOption(option, rng)).join(", ")}`;
  const budget = priceCap === NO_CAP ? "" : choose(BUDGETS, rng).replace("{cap}", priceCap.toFixed(2));
  return `${opening}${more}${variant}${budget}`;
}

function wordOption({ name, value }: Required<GoalOption>, rng: Rng): string {
  if (name === "color") return choose([`in ${value}`, `the ${value} one`], rng);
  return choose([`${name} ${value}`, `the ${value} ${name}`, `${value} please`], rng);
}

/** "a" becomes "an" before a vowel and back; other articles stay. */
function fixArticle(article: string, thing: string): string {
  if (article !== "a" && article !== "an") return article;
  return /^[aeiou]/.test(thing) ? "an" : "a";
}

const BUDGETS = [
  ". my budget is {cap} dollars",
  ". please stay under {cap} dollars",
  ". i can spend up to {cap} dollars",
  ", and price lower than {cap} dollars",
];
