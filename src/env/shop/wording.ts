/** The texts of a generated product: title, description, feature list and reviews, all from its own facts. */
import { pick, shuffle, type Rng } from "../../base/index.ts";
import type { Review } from "./product.ts";
import { shopWords, type StockType } from "./stock.ts";

export interface Facts {
  readonly type: StockType;
  readonly brand: string;
  readonly attributes: readonly string[];
}

export function writeTitle({ type, brand, attributes }: Facts, rng: Rng): string {
  const thing = titleCase(describe(shuffle(attributes, rng).slice(0, 2 + rng.int(2)), type.noun));
  const extra = choose(type.extras, rng);
  return choose([`${brand} ${thing}, ${extra}`, `${thing} by ${brand}, ${extra}`, `${brand} ${extra} - ${thing}`], rng);
}

/** Tells of all attributes but the last. */
export function writeDescription({ type, brand, attributes }: Facts, rng: Rng): string {
  const [first = "", ...others] = attributes;
  const use = choose(type.uses, rng);
  const opening = choose(
    [
      `Made for ${use}: the ${describe([first], type.noun)} our customers come back for.`,
      `${brand} built its ${type.noun} around one idea: ${use}. You get ${first} quality at a fair price.`,
      `Looking for ${describe([first], type.noun)}? ${brand} had ${use} in mind.`,
    ],
    rng,
  );
  const lead = choose(["What stands out", "Buyers praise these points", "Good to know"], rng);
  return `${opening} ${lead}: ${shuffle(others.slice(0, -1), rng).join(", ")}. ${choose(shopWords().closings, rng)}`;
}

/**
 * One bullet for each attribute: the feature page always tells all. The first bullet, which the search index holds,
 * tells the attribute that the description leaves out.
 */
export function writeBullets({ type, attributes }: Facts, rng: Rng): string[] {
  const last = attributes.at(-1) ?? type.noun;
  const others = shuffle(attributes.slice(0, -1), rng);
  return [
    `${titleCase(last)} - made for ${choose(type.uses, rng)}`,
    ...others.map((attribute) => `${titleCase(attribute)} - ${choose(shopWords().reasons, rng)}`),
  ];
}

export function writeReviews(rng: Rng): Review[] {
  return Array.from({ length: rng.int(4) }, () => {
    const stars = 2 + rng.int(4);
    const [title, body] = choose(stars > 3 ? shopWords().praise : shopWords().doubt, rng);
    return { title, score: `${stars}.0`, body };
  });
}

/** "slip resistant running shoes", "face moisturizer for dry skin". */
export function describe(attributes: readonly string[], noun: string, separator = " "): string {
  const behind = attributes.filter((attribute) => attribute.startsWith("for "));
  const before = attributes.filter((attribute) => !attribute.startsWith("for ")).join(separator);
  return [...(before === "" ? [] : [before]), noun, ...behind].join(" ");
}

function titleCase(text: string): string {
  return text.replaceAll(/(^|[\s-])([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase());
}

/** One of a list that is known not to be empty. */
export function choose<T>(items: readonly T[], rng: Rng): T {
  return pick(items, rng) as T;
}
