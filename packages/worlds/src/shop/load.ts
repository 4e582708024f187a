/**
 * A shop from WebShop's own files: the item file, the attribute file with its instructions, and, if given, the file of
 * instructions that people wrote. The files are the user's; `docs/lookup/shop.md` says where they come from.
 */
import { z } from "zod";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { plainPieces } from "limbeck-base/base/plain-file";
import { distinctGoals, drawPriceCap, optionClause, priceClause, type Goal, type GoalOption } from "./goal.ts";
import {
  createCatalogue,
  MAX_ASIN_LENGTH,
  priceTag,
  type Catalogue,
  type Product,
  type ProductOption,
  type Review,
} from "./product.ts";

export interface LoadShopOptions {
  /** `items_shuffle_1000.json` or its larger brothers. */
  readonly items: string;
  /** `items_ins_v2_1000.json` or its larger brother. */
  readonly instructions: string;
  /** `items_human_ins.json`; when given, goals come from it and not from the attribute file. */
  readonly human?: string;
  /** Seed of the draws: prices out of ranges, and price caps. */
  readonly seed?: number;
  readonly maxProducts?: number;
}

export interface LoadReport extends ProductReport {
  readonly products: number;
  readonly goals: number;
  /** Entries of the instruction files that could not be read. */
  readonly badInstructions: number;
  /** Products whose option combinations were cut off at the limit. */
  readonly cutCombinations: number;
}

export interface LoadedShop {
  readonly catalogue: Catalogue;
  readonly goals: readonly Goal[];
  readonly report: LoadReport;
}

/** Combinations of options taken of one product; a few products of the large file have far more. */
const MAX_COMBINATIONS = 5_000;

const words = z.array(z.string());
const AttributeSchema = z.object({
  attributes: words.nullish(),
  instruction: z.string().nullish(),
  instruction_attributes: words.nullish(),
});
const HumanSchema = z.object({ instruction: z.string(), instruction_attributes: words, instruction_options: words });

interface Ask {
  readonly instruction: string;
  readonly attributes: readonly string[];
  /** The values a person named; undefined for a synthetic goal, which asks for one of each option. */
  readonly values?: readonly string[];
}

/**
 * Products and goals of the official files. What could not be read is counted in the report.
 *
 * @example
 * import { mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "shop-"));
 * const [items, instructions] = [join(folder, "items.json"), join(folder, "instructions.json")];
 * const table = { asin: "B0ABCDEF01", name: "Side Table", category: "garden", query: "table", product_category: "Home", pricing: "$59.99" };
 * await writeFile(items, JSON.stringify([table]));
 * await writeFile(instructions, JSON.stringify({ B0ABCDEF01: { instruction: "Find me a table", instruction_attributes: ["solid wood"] } }));
 * const { catalogue, goals } = await loadShop({ items, instructions });
 * console.log(catalogue.products[0]?.price, goals.length); // 59.99 1
 * await rm(folder, { recursive: true });
 */
export async function loadShop(options: LoadShopOptions): Promise<LoadedShop> {
  const { items, seed = 0, maxProducts = Number.POSITIVE_INFINITY } = options;
  const written = await readInstructions(options.instructions);
  const asks = options.human === undefined ? written.asks : await readHuman(options.human, written);
  const { products, report } = await loadProducts({ path: items, attributes: written.attributes, seed, maxProducts });
  if (products.length === 0) {
    const why = report.firstFaults.length === 0 ? "" : ` The first faults: ${report.firstFaults.join("; ")}`;
    throw new EngineError("empty-catalogue", `"${items}" holds no usable product in ${report.rows} rows.${why}`, {
      details: { ...report },
    });
  }
  const rng = createRng(`shop caps ${seed}`);
  let cut = 0;
  const goals = products.flatMap((product, position) => {
    const own = asks.get(product.asin) ?? [];
    if (own.some(({ values }) => values === undefined) && combinations(product) > MAX_COMBINATIONS) cut += 1;
    return own.flatMap((ask, at) => toGoals(ask, product, position, rng.split(`${product.asin} ${at}`)));
  });
  if (goals.length === 0) {
    throw new EngineError(
      "no-goals",
      `No product of "${items}" has an instruction in "${options.human ?? options.instructions}". Use files of one release: both name products by asin.`,
      { details: { ...report } },
    );
  }
  const kept = distinctGoals(goals);
  const counts = { products: products.length, goals: kept.length, badInstructions: written.bad, cutCombinations: cut };
  return { catalogue: createCatalogue(products), goals: kept, report: { ...report, ...counts } };
}

interface Written {
  readonly attributes: Map<string, readonly string[]>;
  readonly asks: Map<string, readonly Ask[]>;
  bad: number;
}

async function readInstructions(path: string): Promise<Written> {
  const written: Written = { attributes: new Map(), asks: new Map(), bad: 0 };
  for await (const { key, value } of jsonEntries(path)) {
    const parsed = AttributeSchema.safeParse(value);
    if (!parsed.success) {
      written.bad += 1;
      continue;
    }
    const asin = key.toUpperCase();
    const { attributes, instruction, instruction_attributes: asked } = parsed.data;
    if (attributes !== null && attributes !== undefined) written.attributes.set(asin, attributes);
    const complete = typeof instruction === "string" && instruction !== "" && (asked?.length ?? 0) > 0;
    if (complete) written.asks.set(asin, [{ instruction, attributes: asked ?? [] }]);
  }
  return written;
}

async function readHuman(path: string, written: Written): Promise<Map<string, readonly Ask[]>> {
  const asks = new Map<string, readonly Ask[]>();
  for await (const { key, value } of jsonEntries(path)) {
    const parsed = z.array(HumanSchema).safeParse(value);
    if (!parsed.success) {
      written.bad += 1;
      continue;
    }
    const own = parsed.data.filter((one) => one.instruction_attributes.length > 0);
    const read = own.map((one) => ({
      instruction: one.instruction.replaceAll(/^\.+|\.+$/g, ""),
      attributes: one.instruction_attributes,
      values: one.instruction_options,
    }));
    asks.set(key.toUpperCase(), read);
  }
  return asks;
}

/** A person's wish is one goal; a synthetic one is a goal for every combination of options, with one cap for all. */
function toGoals({ instruction, attributes, values }: Ask, product: Product, position: number, rng: Rng): Goal[] {
  const priceCap = drawPriceCap(product.price, rng);
  const tail = priceClause(priceCap);
  if (values !== undefined) {
    const options = values.map((value) => ({ value }));
    return [{ product: position, instruction: `${instruction}${tail}`, attributes, options, priceCap }];
  }
  const names = product.options.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  let chosen: GoalOption[][] = [[]];
  for (const { name, values: offered } of names) {
    chosen = chosen
      .flatMap((before) => offered.map((value) => [...before, { name, value }]))
      .slice(0, MAX_COMBINATIONS);
  }
  return chosen.map((options) => ({
    product: position,
    instruction: `${instruction}${optionClause(options)}${tail}`,
    attributes,
    options,
    priceCap,
  }));
}

function combinations({ options }: Product): number {
  return options.reduce((count, { values }) => count * values.length, 1);
}

// Products from the official item file, row by row: what is missing is filled as the original does, and counted.

interface LoadProductsOptions {
  readonly path: string;
  /** Of each asin; products without one get the original's placeholder, which matches nothing. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly seed: number;
  /** Stop after this many products. */
  readonly maxProducts: number;
}

/** What happened to the rows. */
interface ProductReport {
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

async function loadProducts(options: LoadProductsOptions): Promise<{ products: Product[]; report: ProductReport }> {
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

/*
 * Reads a large JSON file entry by entry: the elements of a list, or the members of an object. Only one entry is in
 * memory at a time, so a file of several gigabytes needs no more than its longest row.
 */

interface JsonEntry {
  /** Position from 0. */
  readonly index: number;
  /** The member's name in an object; empty in a list. */
  readonly key: string;
  readonly value: unknown;
}

/** In characters. A product row of the official files is a few thousand. */
const MAX_ENTRY_LENGTH = 64 * 1024 * 1024;

async function* jsonEntries(path: string): AsyncGenerator<JsonEntry, void, undefined> {
  const splitter = createSplitter(path);
  let index = 0;
  try {
    for await (const chunk of await plainPieces(path, { encoding: "utf8", highWaterMark: 1024 * 1024 })) {
      for (const text of splitter.take(chunk as string)) {
        yield parseEntry(path, index, text, splitter.inObject());
        index += 1;
      }
    }
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw new EngineError("unreadable-file", `Cannot read "${path}": ${(cause as Error).message}`, { cause });
  }
  splitter.end();
}

function parseEntry(path: string, index: number, text: string, inObject: boolean): JsonEntry {
  try {
    const value: unknown = JSON.parse(inObject ? `{${text}}` : text);
    if (!inObject) return { index, key: "", value };
    const [[key, member] = ["", undefined]] = Object.entries(value as object);
    return { index, key, value: member };
  } catch (cause) {
    throw badFile(path, `entry ${index} is not JSON (${(cause as Error).message})`, cause);
  }
}

interface Splitter {
  /** The entries that this chunk completes. */
  take(chunk: string): string[];
  inObject(): boolean;
  /** Complains when the file ended too early. */
  end(): void;
}

/** Cuts at commas of depth 1 outside strings. It checks no more than that; JSON.parse judges each entry. */
function createSplitter(path: string): Splitter {
  let opener = "";
  let depth = 0;
  let inString = false;
  let escaped = false;
  let finished = false;
  let pending = "";
  const open = (character: string): void => {
    if (depth === 0 && opener !== "") throw badFile(path, "there is more text after its end");
    if (depth === 0) opener = character;
    depth += 1;
  };
  const take = (chunk: string): string[] => {
    const entries: string[] = [];
    let start = 0;
    const cut = (at: number): void => {
      const entry = pending + chunk.slice(start, at);
      pending = "";
      start = at + 1;
      if (entry.trim() !== "") entries.push(entry);
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at] as string;
      if (inString) {
        if (escaped) escaped = false;
        else if (character === "\\") escaped = true;
        else if (character === '"') inString = false;
      } else if (character === "{" || character === "[") {
        open(character);
        if (depth === 1) start = at + 1;
      } else if (character === "}" || character === "]") {
        depth -= 1;
        if (depth === 0) cut(at);
        finished = depth === 0;
      } else if (depth === 0 && /[^\s\uFEFF]/.test(character)) {
        throw badFile(path, `it begins or ends with ${JSON.stringify(character)}, not with a list or an object`);
      } else if (character === '"') inString = true;
      else if (character === "," && depth === 1) cut(at);
    }
    if (depth > 0) pending += chunk.slice(start);
    if (pending.length > MAX_ENTRY_LENGTH)
      throw badFile(path, `an entry is longer than ${MAX_ENTRY_LENGTH} characters`);
    return entries;
  };
  return {
    take,
    inObject: () => opener === "{",
    end: () => {
      if (!finished) throw badFile(path, opener === "" ? "it is empty" : "it ends in the middle");
    },
  };
}

function badFile(path: string, what: string, cause?: unknown): EngineError {
  return new EngineError("bad-json-file", `"${path}" is not a JSON list or object of rows: ${what}.`, { cause });
}
