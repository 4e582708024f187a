/** Shop: WebShop in TypeScript, over a generated catalogue or over the official files. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { Env } from "limbeck-core/env/env";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createExpert } from "./expert.ts";
import { generateCatalogue, generateGoals, stockVocabulary, writeShop } from "./generate.ts";
import { loadShop } from "./load.ts";
import { shopPresets, createShop, SHOP_SUMMARY } from "./shop.ts";

const DEFAULT_PRODUCTS = 1_000;
const count = { least: 1, whole: true } as const;

const options = {
  seed: option.number(0, "seed of the generated catalogue, or of the draws from price ranges and caps", {
    whole: true,
  }),
  products: option.limit(
    null,
    `size of the generated catalogue, or how many official products to read; none: ${DEFAULT_PRODUCTS}, or all`,
    count,
  ),
  goalsPerProduct: option.number(3, "errands written for each generated product", count),
  items: option.text(null, "path of an official item file, such as items_shuffle_1000.json; needs instructions too"),
  instructions: option.text(null, "path of the official attribute file, such as items_ins_v2_1000.json"),
  human: option.text(null, "path of the official file of instructions written by people, to use them instead"),
  preset: option.choice(
    "brief",
    ["webshop", "opid", "brief"],
    "webshop (the score is the reward), opid (10 for a perfect purchase, quoted observations) or brief (short pages)",
  ),
  maxSteps: option.limit(null, "steps before an episode is cut off; none: 15, and 10 in brief", count),
  perPage: option.limit(null, "products on one page of results; none: 10, and 4 in brief", count),
} satisfies OptionTable;

/** The world as the registry knows it. */
export const shop = defineWorld({
  id: "shop",
  info: { title: "Shop", meaning: SHOP_SUMMARY },
  part: "shop",
  options,
  create: createFromOptions,
  demonstrators: { expert: createExpert({ vocabulary: stockVocabulary() }) },
  generate: ({ seed, count: products }) => writeShop(generateCatalogue({ products, seed })),
});

async function createFromOptions(values: OptionValues<typeof options>): Promise<Env> {
  const { seed, products, goalsPerProduct, items, instructions, human, preset, maxSteps, perPage } = values;
  const settings = { ...shopPresets[preset], ...nonNull({ maxSteps, perPage }) };
  if (items === null && instructions === null && human === null) {
    const catalogue = generateCatalogue({ products: products ?? DEFAULT_PRODUCTS, seed });
    return createShop({ catalogue, goals: generateGoals(catalogue, { seed, goalsPerProduct }), ...settings });
  }
  if (items === null || instructions === null) {
    throw new EngineError("bad-option", "The official files come in pairs: give both `items` and `instructions`.");
  }
  const limit = nonNull({ human, maxProducts: products });
  const { catalogue, goals } = await loadShop({ items, instructions, seed, ...limit });
  return createShop({ catalogue, goals, ...settings });
}
