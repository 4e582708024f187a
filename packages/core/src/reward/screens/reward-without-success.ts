/** Reward that rises from update to update while success does not: the sign of a reward that was learnt instead of the task. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { defineScreen, severity } from "./screen.ts";

export const rewardWithoutSuccess = defineScreen({
  id: "reward-without-success",
  info: {
    title: "Reward without success",
    meaning: "The mean reward rises over the updates of a run while the share of successes stays flat or falls.",
    formula: [
      "fits a line to the mean reward and one to the success rate over the last window updates",
      "speaks when the reward's slope is minTrend standard errors above 0 and the rise is minRise of its size, while the success rate's slope is less than one above 0",
      "silent where success is above ceiling: there is little left to gain but what shaping pays for",
    ],
  },
  options: {
    severity,
    window: option.count(20, "updates looked at", 3),
    minUpdates: option.count(8, "with fewer updates it says nothing", 3),
    minTrend: option.number(4, "standard errors that make a trend", { above: 0 }),
    minRise: option.number(0.1, "rise of the reward, as a share of its mean size", { least: 0 }),
    ceiling: option.share(0.95, "mean success rate from which on it is silent"),
  },
  look: ({ history = [] }, options) => {
    const known = history
      .slice(-options.window)
      .flatMap(({ update, meanReward, successRate }) =>
        meanReward === null || successRate === null ? [] : [{ update, meanReward, successRate }],
      );
    if (known.length < options.minUpdates) return [];
    const rewards = known.map(({ meanReward }) => meanReward);
    const rates = known.map(({ successRate }) => successRate);
    const reward = trend(rewards);
    const success = trend(rates);
    const size = mean(rewards.map(Math.abs));
    const rises = reward.errors >= options.minTrend && reward.rise >= options.minRise * size && reward.rise > 0;
    if (!rises || success.errors >= 1 || mean(rates) >= options.ceiling) return [];
    const [first, last] = [known[0]?.update ?? 0, known.at(-1)?.update ?? 0];
    const message = `From update ${first} to ${last} the mean reward rose by ${reward.rise.toFixed(3)} while the success rate changed by ${success.rise.toFixed(3)}. Read some of the best-paid trajectories.`;
    return [{ message, evidence: { first, last, rewardRise: reward.rise, successRise: success.rise } }];
  },
});

/** Least squares over positions: the fitted rise from first to last, and the slope in standard errors. */
function trend(values: readonly number[]): { readonly rise: number; readonly errors: number } {
  const centre = mean(values);
  const middle = (values.length - 1) / 2;
  let products = 0;
  let squares = 0;
  for (const [at, value] of values.entries()) {
    products += (at - middle) * (value - centre);
    squares += (at - middle) ** 2;
  }
  const slope = products / squares;
  const residual = values.reduce((sum, value, at) => sum + (value - centre - slope * (at - middle)) ** 2, 0);
  const error = Math.sqrt(residual / (values.length - 2) / squares);
  const rise = slope * (values.length - 1);
  // A perfect line has no error; rounding must not make a trend of a constant.
  if (Math.abs(rise) <= 1e-9 * Math.max(1, Math.abs(centre))) return { rise: 0, errors: 0 };
  return { rise, errors: error === 0 ? Math.sign(slope) * Number.POSITIVE_INFINITY : slope / error };
}
