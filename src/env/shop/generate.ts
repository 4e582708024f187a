/**
 * A catalogue of any size from a seed. Products come in families of one to five near-duplicates that differ in an
 * attribute or two, in their options and in price, so that finding the right one takes more than the first hit.
 *
 * The first n products of a seed are the same whatever the size asked for.
 */
import { createRng, EngineError, shuffle, type Rng } from "../../base/index.ts";
import { createCatalogue, priceTag, type Catalogue, type Product, type ProductOption } from "./product.ts";
import { shopWords, type StockCategory, type StockOption, type StockType } from "./stock.ts";
import { choose, writeBullets, writeDescription, writeReviews, writeTitle, type Facts } from "./wording.ts";

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
