/** The generated catalogue in the layout of the official files, for others to keep, share and load. */
import type { GeneratedFile } from "../world.ts";
import type { Catalogue, Product } from "./product.ts";
import { describe } from "./wording.ts";

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
