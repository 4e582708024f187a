/**
 * A catalogue of any size from a seed. Products come in families of one to five near-duplicates that differ in an
 * attribute or two, in their options and in price, so that finding the right one takes more than the first hit.
 *
 * The first n products of a seed are the same whatever the size asked for.
 */
import { z } from "zod";
import { createRng, shuffle, pick, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { words, worldTable } from "limbeck-core/env/world-data";
import type { GeneratedFile } from "limbeck-core/env/world";
import { createCatalogue, priceTag, type Catalogue, type Product, type ProductOption, type Review } from "./product.ts";
import { distinctGoals, drawPriceCap, NO_CAP, optionClause, priceClause, type Goal, type GoalOption } from "./goal.ts";

export interface GenerateCatalogueOptions {
  readonly products: number;
  readonly seed: number;
}

const ATTRIBUTES_PER_PRODUCT = 5;
/** Share of products that show a range of prices. */
const RANGE_SHARE = 0.05;

/**
 * A catalogue of products that are made up.
 *
 * @example
 * console.log(generateCatalogue({ products: 3, seed: 1 }).products.map(({ category }) => category)); // [ "beauty", "fashion", "fashion" ]
 */
export function generateCatalogue({ products: size, seed }: GenerateCatalogueOptions): Catalogue {
  if (!(Number.isInteger(size) && size >= 1)) {
    throw new EngineError("bad-option", `A catalogue of ${size} products is not a whole number of at least 1.`);
  }
  const rng = createRng(`shop catalogue ${seed}`);
  const products: Product[] = [];
  const asins = new Set<string>();
  for (let family = 0; products.length < size; family += 1) {
    for (const product of makeFamily(rng.split(family), asins)) if (products.length < size) products.push(product);
  }
  return createCatalogue(products);
}

function makeFamily(rng: Rng, asins: Set<string>): Product[] {
  const category = choose(shopWords().stock, rng);
  const type = choose(category.types, rng);
  const base: Facts = {
    type,
    brand: choose(category.brands, rng),
    attributes: shuffle(type.attributes, rng).slice(0, ATTRIBUTES_PER_PRODUCT),
  };
  const price = drawPrice(type, rng);
  const options = type.options.map((option) => someValues(option, rng));
  return Array.from({ length: 1 + rng.int(5) }, (_, member) => {
    const facts = member === 0 ? base : { ...base, attributes: swapSome(base.attributes, type, rng) };
    const own = member === 0 ? options : type.options.map((option, at) => vary(options[at], option, rng));
    const factor = member === 0 ? 1 : 0.75 + rng.float() * 0.6;
    return makeProduct(category, facts, { options: own, price: price * factor, asin: drawAsin(asins, rng) }, rng);
  });
}

function makeProduct(
  category: StockCategory,
  facts: Facts,
  { options, price, asin }: { options: readonly ProductOption[]; price: number; asin: string },
  rng: Rng,
): Product {
  const low = shopPrice(price, rng);
  const high = rng.float() < RANGE_SHARE ? shopPrice(low * 1.15 + 1, rng) : low;
  const reviews = writeReviews(rng);
  return {
    asin,
    title: writeTitle(facts, rng),
    description: writeDescription(facts, rng),
    bullets: writeBullets(facts, rng),
    category: category.category,
    query: facts.type.noun,
    productCategory: facts.type.path.join(" › "),
    price: low === high ? low : low + rng.float() * (high - low),
    priceTag: priceTag(low, high),
    rating: reviews.length === 0 ? "N.A." : (3 + rng.int(21) / 10).toFixed(1),
    reviews,
    options,
    attributes: facts.attributes,
  };
}

/** Replaces one or two attributes by others the thing can have. */
function swapSome(attributes: readonly string[], type: StockType, rng: Rng): string[] {
  const others = shuffle(
    type.attributes.filter((attribute) => !attributes.includes(attribute)),
    rng,
  );
  const count = 1 + rng.int(2);
  return shuffle([...shuffle(attributes, rng).slice(count), ...others.slice(0, count)], rng);
}

function vary(before: ProductOption | undefined, option: StockOption, rng: Rng): ProductOption {
  return before !== undefined && rng.float() < 0.5 ? before : someValues(option, rng);
}

/** Three to seven of the values, in the order of the table. */
function someValues({ name, values }: StockOption, rng: Rng): ProductOption {
  const kept = new Set(shuffle(values, rng).slice(0, 3 + rng.int(5)));
  return { name, values: values.filter((value) => kept.has(value)) };
}

/** Even over the logarithm: as many cheap things as dear ones. */
function drawPrice({ price: [low, high] }: StockType, rng: Rng): number {
  return low * (high / low) ** rng.float();
}

/** Prices end as prices in shops do. */
function shopPrice(price: number, rng: Rng): number {
  const whole = Math.max(2, Math.floor(price));
  return Number((whole + choose([0.99, 0.95, 0.5, 0, -0.01], rng)).toFixed(2));
}

const ASIN_LETTERS = "0123456789ABCDEFGHJKLMNPQRSTVWXYZ";

function drawAsin(taken: Set<string>, rng: Rng): string {
  for (;;) {
    const asin = `B0${Array.from({ length: 8 }, () => ASIN_LETTERS[rng.int(ASIN_LETTERS.length)]).join("")}`;
    if (taken.has(asin)) continue;
    taken.add(asin);
    return asin;
  }
}

// The texts of a generated product: title, description, feature list and reviews, all from its own facts.

interface Facts {
  readonly type: StockType;
  readonly brand: string;
  readonly attributes: readonly string[];
}

function writeTitle({ type, brand, attributes }: Facts, rng: Rng): string {
  const thing = titleCase(describe(shuffle(attributes, rng).slice(0, 2 + rng.int(2)), type.noun));
  const extra = choose(type.extras, rng);
  return choose([`${brand} ${thing}, ${extra}`, `${thing} by ${brand}, ${extra}`, `${brand} ${extra} - ${thing}`], rng);
}

/** Tells of all attributes but the last. */
function writeDescription({ type, brand, attributes }: Facts, rng: Rng): string {
  const [first = "", ...others] = attributes;
  const use = choose(type.uses, rng);
  const opening = choose(
    [
      `Made for ${use}: the ${describe([first], type.noun)} our customers come back for.`,
      `${brand} built its ${type.noun} around one idea: ${use}. You get ${first} quality at a fair price.`,
      `Looking for ${describe([first], type.noun)}? ${brand} had ${use} in mind.`,
    ],
    rng,
  );
  const lead = choose(["What stands out", "Buyers praise these points", "Good to know"], rng);
  return `${opening} ${lead}: ${shuffle(others.slice(0, -1), rng).join(", ")}. ${choose(shopWords().closings, rng)}`;
}

/**
 * One bullet for each attribute: the feature page always tells all. The first bullet, which the search index holds,
 * tells the attribute that the description leaves out.
 */
function writeBullets({ type, attributes }: Facts, rng: Rng): string[] {
  const last = attributes.at(-1) ?? type.noun;
  const others = shuffle(attributes.slice(0, -1), rng);
  return [
    `${titleCase(last)} - made for ${choose(type.uses, rng)}`,
    ...others.map((attribute) => `${titleCase(attribute)} - ${choose(shopWords().reasons, rng)}`),
  ];
}

function writeReviews(rng: Rng): Review[] {
  return Array.from({ length: rng.int(4) }, () => {
    const stars = 2 + rng.int(4);
    const [title, body] = choose(stars > 3 ? shopWords().praise : shopWords().doubt, rng);
    return { title, score: `${stars}.0`, body };
  });
}

/** "slip resistant running shoes", "face moisturizer for dry skin". */
function describe(attributes: readonly string[], noun: string, separator = " "): string {
  const behind = attributes.filter((attribute) => attribute.startsWith("for "));
  const before = attributes.filter((attribute) => !attribute.startsWith("for ")).join(separator);
  return [...(before === "" ? [] : [before]), noun, ...behind].join(" ");
}

function titleCase(text: string): string {
  return text.replaceAll(/(^|[\s-])([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase());
}

/** One of a list that is known not to be empty. */
function choose<T>(items: readonly T[], rng: Rng): T {
  return pick(items, rng) as T;
}

// The stock: made-up brands, things, attributes and options that the generated catalogue draws from, and its phrases.

const type = z.strictObject({
  /** As a shopper says it, lower-case: "coffee table". */
  noun: z.string(),
  /** What stands before the noun in a sentence: "a", "some", "a pair of". */
  article: z.string(),
  /** Departments from the top. */
  path: z.string().transform((text): readonly string[] => text.split(" > ")),
  /** Lowest and highest usual price in dollars. */
  price: z.tuple([z.number(), z.number()]).readonly(),
  /** Every attribute a variant can have. Written so that it can stand before the noun. */
  attributes: words,
  options: z
    .record(z.string(), words)
    .transform((options): readonly StockOption[] =>
      Object.entries(options).map(([name, values]) => ({ name, values })),
    ),
  /** What stands in a title after the noun. */
  extras: words,
  /** Ends the sentence "made for ...". */
  uses: words,
});

const category = z.strictObject({
  category: z.enum(["beauty", "electronics", "fashion", "garden", "grocery"]),
  brands: words,
  types: z.array(type).readonly(),
});

/** Title and text. */
const review = z.tuple([z.string(), z.string()]).readonly();

export const shopWords = worldTable(
  "shop.json",
  z.strictObject({
    stock: z.array(category).readonly(),
    /** The end of a description. */
    closings: z.array(z.string()).readonly(),
    /** Stands behind an attribute. */
    reasons: z.array(z.string()).readonly(),
    praise: z.array(review).readonly(),
    doubt: z.array(review).readonly(),
  }),
);

interface StockOption {
  readonly name: string;
  readonly values: readonly string[];
}
/** One kind of thing the shop sells, in many variants. */
type StockType = Readonly<z.output<typeof type>>;
type StockCategory = Readonly<z.output<typeof category>>;

/*
 * Goals for the generated catalogue. Half are synthetic, in the fixed form of the official ones (options as pairs, all
 * of them named); half are worded as a person might put it, with plain option values, and not always all of them.
 */

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
 * import { generateCatalogue } from "limbeck/env";
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

// The generated catalogue in the layout of the official files, for others to keep, share and load.

/** How many attributes an instruction in the written file names. */
const ASKED_ATTRIBUTES = 2;

export function* writeShop({ products }: Catalogue): Generator<GeneratedFile, void, undefined> {
  yield { path: "items.json", text: `[${products.map((product) => JSON.stringify(toRow(product))).join(",\n")}]\n` };
  const instructions = Object.fromEntries(products.map((product) => [product.asin, toInstruction(product)]));
  yield { path: "instructions.json", text: `${JSON.stringify(instructions, null, 1)}\n` };
}

function toRow(product: Product): object {
  return {
    asin: product.asin,
    name: product.title,
    full_description: product.description,
    small_description: product.bullets,
    category: product.category,
    query: product.query,
    product_category: product.productCategory,
    pricing: product.priceTag.replace(" to ", ""),
    average_rating: product.rating,
    customization_options: Object.fromEntries(
      product.options.map(({ name, values }) => [name, values.map((value) => ({ value }))]),
    ),
    reviews: product.reviews.map(({ title, score, body }) => ({ title, score, body })),
  };
}

function toInstruction({ attributes, query }: Product): object {
  const asked = attributes.slice(0, ASKED_ATTRIBUTES);
  return { attributes, instruction: `Find me ${describe(asked, query, ", ")}`, instruction_attributes: asked };
}

// The attributes a regular customer knows.

/**
 * Those of the generated catalogue. For official files, take the attributes of the loaded products.
 *
 * @example
 * console.log(stockVocabulary().includes("fast charging")); // true
 */
export function stockVocabulary(): string[] {
  return [...new Set(shopWords().stock.flatMap(({ types }) => types.flatMap(({ attributes }) => attributes)))];
}
