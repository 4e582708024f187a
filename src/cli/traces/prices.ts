/** What tokens cost, from a file of the user: prices change too often to ship them. */
import { z } from "zod";
import type { Invocation } from "../command.ts";
import { givenData } from "../../base/given-file.ts";

const price = z.number().nonnegative();
const PricesFile = z.record(z.string(), z.strictObject({ input: price, output: price, cached: price.exactOptional() }));

/** US dollars for a million tokens, by model. */
export type Prices = z.output<typeof PricesFile>;

const SHAPE = '{"MODEL": {"input": 1.25, "output": 10, "cached": 0.125}}, in US dollars for a million tokens';

export async function readPrices(invocation: Invocation, file: string): Promise<Prices> {
  return await givenData(invocation.io, file, "the prices", { schema: PricesFile, shape: SHAPE });
}

export interface Tokens {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
}

/** Null where the model has no price or nothing was counted. Cached tokens are part of the prompt. */
export function costOf(prices: Prices, model: string | null, tokens: Tokens): number | null {
  const own = model === null ? undefined : prices[model];
  if (own === undefined || (tokens.promptTokens === null && tokens.completionTokens === null)) return null;
  const cached = tokens.cachedTokens ?? 0;
  const read = (tokens.promptTokens ?? 0) - cached;
  return (read * own.input + cached * (own.cached ?? own.input) + (tokens.completionTokens ?? 0) * own.output) / 1e6;
}
