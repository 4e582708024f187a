/** What the shop sells: products, and a catalogue that finds them by the label that is clicked. */
import { EngineError } from "../../base/index.ts";

export interface ProductOption {
  /** Lower-case: "color", "size". */
  readonly name: string;
  /** Lower-case; each one is a label that can be clicked. */
  readonly values: readonly string[];
}

export interface Review {
  readonly title: string;
  readonly score: string;
  readonly body: string;
}

export interface Product {
  readonly asin: string;
  readonly title: string;
  readonly description: string;
  readonly bullets: readonly string[];
  /** garden, fashion, beauty, electronics or grocery in the official files. */
  readonly category: string;
  /** The search words under which the shop keeps it; part of the type term of the reward. */
  readonly query: string;
  /** Path through the departments, joined by " › ". */
  readonly productCategory: string;
  /** What is paid. Where the shop shows a range, one draw from it, fixed when the catalogue is made. */
  readonly price: number;
  /** What is shown: "$12.5" or "$10.0 to $12.5". */
  readonly priceTag: string;
  /** As shown: "4.3", or "N.A.". */
  readonly rating: string;
  readonly reviews: readonly Review[];
  readonly options: readonly ProductOption[];
  /** What the reward compares goal attributes with; never shown as such. */
  readonly attributes: readonly string[];
}

export interface Catalogue {
  readonly products: readonly Product[];
  /** Position of the product whose asin, in lower case, is this label. */
  readonly byLabel: ReadonlyMap<string, number>;
}

/** An asin longer than this is an error of the original's data, and it skips such a product. */
export const MAX_ASIN_LENGTH = 10;

/**
 * A catalogue of your own products. Two with the same asin are refused.
 *
 * @example
 * import { generateCatalogue } from "limbeck/env/shop";
 *
 * const { products } = generateCatalogue({ products: 3, seed: 1 });
 * console.log(createCatalogue(products.slice(1)).byLabel.size); // 2
 */
export function createCatalogue(products: readonly Product[]): Catalogue {
  if (products.length === 0) {
    throw new EngineError("empty-catalogue", "The catalogue holds no product; a shop needs at least one.");
  }
  const byLabel = new Map<string, number>();
  products.forEach((product, position) => {
    const label = product.asin.toLowerCase();
    const other = byLabel.get(label);
    if (other !== undefined) {
      throw new EngineError(
        "duplicate-id",
        `Products ${other} and ${position} of the catalogue are both "${product.asin}"; every asin must be unique (upper and lower case count as equal).`,
        { details: { asin: product.asin } },
      );
    }
    byLabel.set(label, position);
  });
  return { products, byLabel };
}

/** The tag of one price or of a range. The original prints floats, so a whole number keeps its ".0". */
export function priceTag(low: number, high: number = low): string {
  const text = (price: number): string => `$${Number.isInteger(price) ? price.toFixed(1) : String(price)}`;
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}
