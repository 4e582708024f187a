/** What a lift test may still spend. Runs are counted before they begin, tokens are set aside by the walk's purse: no limit is passed. */
import { usageError } from "limbeck-base/base/errors";
import type { Budget, Spending } from "limbeck-core/walk/purse";
import { readPrices } from "./given-search.ts";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";

export type Account = ReturnType<typeof openAccount>;

const OF_A_POLICY = ["modelCalls", "tokens", "usd"] as const;

/** Limits that could not be held: refused before anything is run or written. */
export function checkLimits({
  budget,
  prices,
  agent,
  policy,
}: Pick<LiftInput, "budget" | "prices" | "agent" | "policy">): void {
  const unseen = OF_A_POLICY.find((kind) => budget[kind] !== undefined);
  if (unseen !== undefined && agent !== undefined && policy === undefined) {
    throw usageError(
      `--budget ${unseen} cannot be held for an agent that asks its own model: give runs=N or seconds=N, or --policy, whose calls are counted.`,
    );
  }
  if (budget.usd !== undefined && prices === undefined)
    throw usageError("--budget usd needs --prices READ,SAID, US dollars for a million tokens; or limit the tokens.");
}

export function openAccount(given: LiftInput, { now }: Pick<LiftContext, "now">) {
  checkLimits(given);
  const { budget, prices } = given;
  const started = now();
  const spent = { runs: 0, modelCalls: 0, tokens: 0, usd: 0 };
  const left = (kind: keyof typeof budget): number =>
    (budget[kind] ?? Number.POSITIVE_INFINITY) - (kind === "seconds" ? (now() - started) / 1_000 : spent[kind]);
  const limits = Object.keys(budget) as (keyof typeof budget)[];
  const isOver = (): boolean => limits.some((kind) => left(kind) <= 0);
  return {
    spent,
    prices: readPrices(prices),
    isOver,
    /** How many of these runs may begin. */
    allow: (runs: number): number => {
      const allowed = isOver() ? 0 : Math.min(runs, Math.floor(left("runs")));
      spent.runs += allowed;
      return allowed;
    },
    /** For the walk, which sets aside what a call may take before it is made. */
    budget: (): Budget =>
      Object.fromEntries(limits.filter((kind) => kind !== "runs").map((kind) => [kind, Math.max(0, left(kind))])),
    onSpent: ({ modelCalls, tokens, usd }: Spending): void => {
      spent.modelCalls += modelCalls;
      spent.tokens += tokens;
      spent.usd += usd;
    },
  };
}
