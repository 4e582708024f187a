/** The form of the tables from which the catalogue is generated. */

export interface StockOption {
  readonly name: string;
  readonly values: readonly string[];
}

/** One kind of thing the shop sells, in many variants. */
export interface StockType {
  /** As a shopper says it, lower-case: "coffee table". */
  readonly noun: string;
  /** What stands before the noun in a sentence: "a", "some", "a pair of". */
  readonly article: string;
  /** Departments from the top. */
  readonly path: readonly string[];
  /** Lowest and highest usual price in dollars. */
  readonly price: readonly [number, number];
  /** Every attribute a variant can have. Written so that it can stand before the noun. */
  readonly attributes: readonly string[];
  readonly options: readonly StockOption[];
  /** What stands in a title after the noun. */
  readonly extras: readonly string[];
  /** Ends the sentence "made for ...". */
  readonly uses: readonly string[];
}

export interface StockCategory {
  readonly category: "beauty" | "electronics" | "fashion" | "garden" | "grocery";
  readonly brands: readonly string[];
  readonly types: readonly StockType[];
}

/** A list in one line of text, items parted by commas. */
export function list(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
