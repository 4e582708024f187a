/** Shop: WebShop in TypeScript, over a generated catalogue or over the official files. */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { Env } from "../env.ts";
import type { World, WorldOptions } from "../world.ts";
import { createExpert } from "./expert.ts";
import { generateCatalogue } from "./generate.ts";
import { generateGoals } from "./instruction.ts";
import { loadShop } from "./load.ts";
import { shopPresets } from "./preset.ts";
import { createShop, SHOP_SUMMARY } from "./shop.ts";
import { stockVocabulary } from "./vocabulary.ts";
import { writeShop } from "./write.ts";

const count = z.number().int().min(1);
const OptionsSchema = z.strictObject({
  seed: z.number().int().default(0),
  products: count.exactOptional(),
  goalsPerProduct: count.default(3),
  items: z.string().min(1).exactOptional(),
  instructions: z.string().min(1).exactOptional(),
  human: z.string().min(1).exactOptional(),
  preset: z.enum(["webshop", "opid", "brief"]).default("webshop"),
  maxSteps: count.exactOptional(),
  perPage: count.exactOptional(),
});

const DEFAULT_PRODUCTS = 1_000;

/** The world as the registry knows it. */
export const shop: World = {
  summary: SHOP_SUMMARY,
  part: "shop",
  options: {
    seed: "seed of the generated catalogue, or of the draws from price ranges and caps; 0 unless told",
    products: "size of the generated catalogue (1000 unless told), or how many official products to read",
    goalsPerProduct: "errands written for each generated product; 3 unless told",
    items: "path of an official item file, such as items_shuffle_1000.json; needs instructions too",
    instructions: "path of the official attribute file, such as items_ins_v2_1000.json",
    human: "path of the official file of instructions written by people, to use them instead",
    preset:
      "webshop (the score is the reward), opid (10 for a perfect purchase, quoted observations) or brief (short pages)",
    maxSteps: "steps before an episode is cut off; 15 unless told, 10 in brief",
    perPage: "products on one page of results; 10 unless told, 4 in brief",
  },
  create: createFromOptions,
  demonstrators: { expert: createExpert({ vocabulary: stockVocabulary() }) },
  generate: ({ seed, count: products }) => writeShop(generateCatalogue({ products, seed })),
};

async function createFromOptions(options: WorldOptions = {}): Promise<Env> {
  const parsed = OptionsSchema.safeParse(options);
  if (!parsed.success) {
    throw new EngineError("bad-option", `These are not options of the shop: ${z.prettifyError(parsed.error)}`);
  }
  const { seed, products, goalsPerProduct, items, instructions, human, preset, maxSteps, perPage } = parsed.data;
  const settings = {
    ...shopPresets[preset],
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(perPage === undefined ? {} : { perPage }),
  };
  if (items === undefined && instructions === undefined && human === undefined) {
    const catalogue = generateCatalogue({ products: products ?? DEFAULT_PRODUCTS, seed });
    return createShop({ catalogue, goals: generateGoals(catalogue, { seed, goalsPerProduct }), ...settings });
  }
  if (items === undefined || instructions === undefined) {
    throw new EngineError("bad-option", "The official files come in pairs: give both `items` and `instructions`.");
  }
  const files = { items, instructions, ...(human === undefined ? {} : { human }) };
  const limit = products === undefined ? {} : { maxProducts: products };
  const { catalogue, goals } = await loadShop({ ...files, seed, ...limit });
  return createShop({ catalogue, goals, ...settings });
}

export { createExpert, type ExpertOptions } from "./expert.ts";
export { generateCatalogue, type GenerateCatalogueOptions } from "./generate.ts";
export type { Goal, GoalOption } from "./goal.ts";
export { generateGoals, type GenerateGoalsOptions } from "./instruction.ts";
export { loadShop, type LoadedShop, type LoadReport, type LoadShopOptions } from "./load.ts";
export { shopPresets, type ShopPreset, type ShopPresetId } from "./preset.ts";
export { createCatalogue, type Catalogue, type Product, type ProductOption } from "./product.ts";
export { scorePurchase, type NounTagger, type Purchase } from "./reward.ts";
export { createShop, type ShopOptions } from "./shop.ts";
