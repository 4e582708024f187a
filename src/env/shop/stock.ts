/** The stock: made-up brands, things, attributes and options that the generated catalogue draws from, and its phrases. */
import { z } from "zod";
import { words, worldTable } from "../world-data.ts";

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

export interface StockOption {
  readonly name: string;
  readonly values: readonly string[];
}
/** One kind of thing the shop sells, in many variants. */
export type StockType = Readonly<z.output<typeof type>>;
export type StockCategory = Readonly<z.output<typeof category>>;
