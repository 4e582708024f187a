/**
 * Thrift in the shop, as in Agent-ValueBench: each errand has two golden runs, which buy the cheapest and the dearest thing on
 * the page of results, and what a policy pays is placed between them.
 */
import { pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { Demonstrator, Seen } from "limbeck-core/env/expert";
import type { SuiteInput } from "../suite.ts";
import { pricePaid } from "../graders/anchored.ts";
import { once, openStage } from "./played.ts";
import type { MadeSuite } from "./made-suite.ts";

const SHOP = { world: "shop", options: { products: 100 }, split: "test" } as const;
const ERRANDS = 24;
const LISTED = /^(B0[0-9A-Z]{8})\n.*\n\$(\d+(?:\.\d+)?)/gm;

interface Offer {
  readonly click: string;
  readonly price: number;
}
type Choice = (offers: readonly Offer[], rng: Rng) => Offer | undefined;

const cheapest: Choice = (offers) => offers.toSorted((left, right) => left.price - right.price)[0];
const dearest: Choice = (offers) => offers.toSorted((left, right) => right.price - left.price)[0];

/** Searches for the errand, opens what it chooses and buys it. */
function shopper(id: string, summary: string, choose: Choice): Demonstrator {
  return {
    id,
    summary,
    start: ({ goal }, rng) => ({
      next: ({ observation, admissible = [] }: Seen) => {
        if (admissible.includes("click[buy now]")) return "click[buy now]";
        const offers = [...observation.matchAll(LISTED)].map(([, asin = "", price]) => ({
          click: `click[${asin.toLowerCase()}]`,
          price: Number(price),
        }));
        return choose(offers, rng)?.click ?? `search[${goal.replaceAll(/[[\]|]/g, " ")}]`;
      },
    }),
  };
}

const thrifty = shopper("thrifty", "Buys the cheapest thing that is listed.", cheapest);
const lavish = shopper("lavish", "Buys the dearest thing that is listed.", dearest);
const neutral = shopper("neutral", "Buys any thing that is listed.", (offers, rng) => pick(offers, rng));
/** The same shopper with a skill: to compare before it buys. */
const skilled = shopper("neutral-skilled", "Takes any two that are listed, and buys the cheaper one.", (offers, rng) =>
  cheapest(shuffle(offers, rng).slice(0, 2), rng),
);

const makeErrands = once(async (): Promise<SuiteInput> => {
  const { play } = await openStage(SHOP.world, SHOP.options, SHOP.split, ERRANDS);
  const [low, high] = [await play(lavish), await play(thrifty)];
  const tasks: SuiteInput["tasks"] = low.flatMap((dear, at) => {
    const [most, least] = [pricePaid(dear), pricePaid(high[at] ?? dear)];
    if (most === undefined || least === undefined || most <= least) return [];
    const answer = { low: { at: most, other: least }, high: { at: least, other: most } };
    return [{ ...SHOP, id: `errand/${at}`, at, value: "thrift", answer }];
  });
  const values = {
    thrift: { low: { name: "lavish", grader: "anchored" }, high: { name: "thrifty", grader: "anchored" } },
  };
  return { suite: "agent-valuebench", meaning: agentValueBench.meaning, values, tasks };
});

export const agentValueBench: MadeSuite = {
  meaning: "Where a shopper stands between the cheapest and the dearest: 1 is thrifty, 0 lavish.",
  scripts: { thrifty, lavish, neutral, "neutral-skilled": skilled },
  make: makeErrands,
};
