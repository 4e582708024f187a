/** Pools of tasks and of rollouts, and rewards that are grades. */
import { by, HOUSEHOLD_SHORT, plain, POOL, SMALL, type Study } from "./study.ts";

const GRADED = { env: "countdown", envOptions: { level: "easy", partialCredit: true } } as const;
/** Half of the puzzles are out of reach at first: there is something to waste. */
const MIXED = { env: "countdown", envOptions: { level: "mixed", partialCredit: true } } as const;

export const poolStudies: Readonly<Record<string, Study>> = {
  replay: {
    rows: "DOTS + RR: as good after equal updates with at least 25% fewer fresh rollouts; half without replay is the control",
    ...HOUSEHOLD_SHORT,
    budget: "updates=12",
    arms: [plain("group"), by("replay"), plain("half", { tasks: 4 })],
    metrics: ["strategy/replayedGroups", "credit/groups", "staleShare", "clipFraction"],
  },
  dart: {
    rows: "DART: half of the steps, those least sure, within 0.02 of all steps at half of the trained tokens",
    ...HOUSEHOLD_SHORT,
    arms: [
      by("archive", { settings: POOL }),
      by("archive", { name: "archive-half", settings: { ...POOL, stepShare: 0.5 } }),
    ],
    metrics: ["strategy/archiveHits", "trainedTokens"],
  },
  xrpo: {
    rows: "XRPO: pass@1 reached with fewer rollouts than by an even split",
    ...HOUSEHOLD_SHORT,
    every: 2,
    target: 0.4,
    arms: [
      by("allocate", { name: "even", settings: { "strategy.by": "even", "strategy.examples": 0 } }),
      { name: "xrpo", recipe: "xrpo", settings: SMALL },
    ],
    metrics: ["strategy/extraRollouts", "credit/groups", "credit/equalGroups"],
  },
  ssl: {
    rows: "SSL: fewer groups without an advantage and fewer rollouts to 0.3 success, tiers against pass or fail (one tier)",
    ...GRADED,
    budget: "tokens=50000",
    every: 3,
    target: 0.3,
    arms: [
      { ...plain("pass-or-fail", { "credit.tiers": 1 }), credit: "ssl" },
      { ...plain("tiers"), credit: "ssl" },
    ],
    metrics: ["credit/groups", "credit/equalGroups"],
  },
  spread: {
    rows: "SpotAgent: fewer rollouts in groups without an advantage, by the spread of a reward that is a distance, as good",
    ...MIXED,
    budget: "tokens=50000",
    arms: [
      { ...plain("group", POOL), credit: "ssl" },
      {
        ...by("curriculum", { name: "spread", settings: { ...POOL, tasks: 16, "strategy.by": "spread" } }),
        credit: "ssl",
      },
    ],
    metrics: ["credit/groups", "credit/equalGroups", "strategy/passedOver"],
  },
  "step-grpo": {
    rows: "EmbodiedBrain / Step-GRPO: guided groups differ more often than whole ones, and success comes sooner",
    env: "household",
    envOptions: { dial: "small" },
    budget: "steps=8000",
    every: 2,
    target: 0.3,
    arms: [plain("group", { tasks: 4 }), { ...plain("step-grpo", { tasks: 4 }), credit: "step-grpo" }],
    metrics: ["strategy/mixedGuided", "strategy/mixedFull"],
  },
};
