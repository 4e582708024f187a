/** What tokens cost, from a file of the user: prices change too often to ship them. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { EngineError } from "../../base/index.ts";

const price = z.number().nonnegative();
const PricesFile = z.record(z.string(), z.strictObject({ input: price, output: price, cached: price.exactOptional() }));

/** US dollars for a million tokens, by model. */
export type Prices = z.output<typeof PricesFile>;

export async function readPrices(path: string): Promise<Prices> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new EngineError("file-unreadable", `The prices in ${JSON.stringify(path)} cannot be read as JSON.`, {
      cause: error,
    });
  }
  const parsed = PricesFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-input",
    `${JSON.stringify(path)} must hold {"MODEL": {"input": 1.25, "output": 10, "cached": 0.125}}, in US dollars for a million tokens: ${z.prettifyError(parsed.error)}`,
  );
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
