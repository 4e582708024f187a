/**
 * A shop from WebShop's own files: the item file, the attribute file with its instructions, and, if given, the file of
 * instructions that people wrote. The files are the user's; `docs/shop.md` says where they come from.
 */
import { z } from "zod";
import { createRng, EngineError, type Rng } from "../../base/index.ts";
import { distinctGoals, drawPriceCap, optionClause, priceClause, type Goal, type GoalOption } from "./goal.ts";
import { jsonEntries } from "./json-entries.ts";
import { loadProducts, type ProductReport } from "./load-products.ts";
import { createCatalogue, type Catalogue, type Product } from "./product.ts";

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
