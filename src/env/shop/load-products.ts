/** Products from the official item file, row by row: what is missing is filled as the original does, and counted. */
import { z } from "zod";
import { createRng, type Rng } from "../../base/index.ts";
import { jsonEntries } from "./json-entries.ts";
import { MAX_ASIN_LENGTH, priceTag, type Product, type ProductOption, type Review } from "./product.ts";

export interface LoadProductsOptions {
  readonly path: string;
  /** Of each asin; products without one get the original's placeholder, which matches nothing. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly seed: number;
  /** Stop after this many products. */
  readonly maxProducts: number;
}

/** What happened to the rows. */
export interface ProductReport {
  readonly rows: number;
  readonly duplicates: number;
  /** Asins that are missing in the original's sense: "nan", or longer than ten characters. */
  readonly badAsins: number;
  readonly malformed: number;
  /** Why the first few malformed rows were skipped. */
  readonly firstFaults: readonly string[];
  /** Sold at the original's default of 100 dollars. */
  readonly missingPrices: number;
  readonly priceRanges: number;
}

const DEFAULT_PRICE = 100;
const PLACEHOLDER_ATTRIBUTE = "DUMMY_ATTR";
const MAX_FAULTS = 5;

const text = z
  .string()
  .nullish()
  .transform((value) => clean(value ?? ""));
const number = z.union([z.string(), z.number()]).nullish();

const RowSchema = z.object({
  asin: z.string().min(1),
  name: z.string().min(1).transform(clean),
  full_description: text,
  small_description: z.union([z.string(), z.array(z.string())]).nullish(),
  category: text,
  query: text,
  product_category: text,
  pricing: z.string().nullish(),
  average_rating: number,
  customization_options: z
    .record(z.string(), z.array(z.union([z.string(), z.object({ value: z.string() })])).nullable())
    .or(z.literal(""))
    .nullish(),
  reviews: z
    .array(z.object({ title: text, stars: number, score: number, review: text, body: text }))
    .nullish()
    .catch(null),
});

type Row = z.output<typeof RowSchema>;

export async function loadProducts(
  options: LoadProductsOptions,
): Promise<{ products: Product[]; report: ProductReport }> {
  const rng = createRng(`shop prices ${options.seed}`);
  const products: Product[] = [];
  const asins = new Set<string>();
  const faults: string[] = [];
  const counts = { rows: 0, duplicates: 0, badAsins: 0, malformed: 0, missingPrices: 0, priceRanges: 0 };
  for await (const { index, value } of jsonEntries(options.path)) {
    if (products.length >= options.maxProducts) break;
    counts.rows += 1;
    const parsed = RowSchema.safeParse(value);
    if (!parsed.success) {
      counts.malformed += 1;
      if (faults.length < MAX_FAULTS) faults.push(`row ${index}: ${z.prettifyError(parsed.error)}`);
      continue;
    }
    const row = parsed.data;
    const asin = row.asin.toUpperCase();
    if (asin === "NAN" || asin.length > MAX_ASIN_LENGTH) counts.badAsins += 1;
    else if (asins.has(asin)) counts.duplicates += 1;
    else {
      asins.add(asin);
      const prices = readPrices(row.pricing ?? "");
      if (prices.length === 0) counts.missingPrices += 1;
      if (prices.length > 1) counts.priceRanges += 1;
      products.push(toProduct(row, asin, prices, options.attributes.get(asin), rng));
    }
  }
  return { products, report: { ...counts, firstFaults: faults } };
}

function toProduct(
  row: Row,
  asin: string,
  prices: readonly number[],
  attributes: readonly string[] | undefined,
  rng: Rng,
): Product {
  const low = prices[0] ?? DEFAULT_PRICE;
  const high = prices[1] ?? low;
  const bullets = row.small_description ?? [];
  return {
    asin,
    title: row.name,
    description: row.full_description,
    bullets: (typeof bullets === "string" ? [bullets] : bullets).map(clean),
    category: row.category,
    query: row.query.toLowerCase().trim(),
    productCategory: row.product_category,
    price: low === high ? low : low + rng.split(asin).float() * (high - low),
    priceTag: priceTag(low, high),
    rating: String(row.average_rating ?? "N.A."),
    reviews: (row.reviews ?? []).map(toReview),
    options: readOptions(row.customization_options),
    attributes: attributes ?? [PLACEHOLDER_ATTRIBUTE],
  };
}

function toReview({ title, stars, score, review, body }: NonNullable<Row["reviews"]>[number]): Review {
  return { title, score: String(score ?? stars ?? ""), body: body === "" ? review : body };
}

/** Every dollar amount in the text, at most two: a price, or the ends of a range. */
function readPrices(pricing: string): number[] {
  const amounts = pricing.split("$").slice(1);
  const prices = amounts.map((amount) => Number.parseFloat(amount.replaceAll(/[^\d.]/g, "")));
  return prices.filter((price) => Number.isFinite(price)).slice(0, 2);
}

function readOptions(raw: Row["customization_options"]): ProductOption[] {
  if (raw === null || raw === undefined || raw === "") return [];
  return Object.entries(raw).flatMap(([name, contents]) => {
    const values = (contents ?? []).map((content) => (typeof content === "string" ? content : content.value));
    const labels = values.map((value) => clean(value).trim().replaceAll("/", " | ").toLowerCase());
    return labels.length === 0 ? [] : [{ name: clean(name).toLowerCase(), values: [...new Set(labels)] }];
  });
}

/** Control characters other than line breaks and tabs have no place on a page. */
function clean(raw: string): string {
  return raw.replaceAll(/[^\P{Cc}\n\r\t]/gu, " ");
}
