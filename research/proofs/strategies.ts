/** Rollout strategies and rewards. */
import { by, HOUSEHOLD, LONG, plain, POOL, SMALL, type Study } from "./study.ts";

export const strategyStudies: Readonly<Record<string, Study>> = {
  dart: {
    rows: "DART: the archive over a pool beats plain groups over it; half of the steps within 0.02 of all",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [
      plain("group", POOL),
      by("archive", { settings: POOL }),
      by("archive", { name: "archive-half", settings: { ...POOL, stepShare: 0.5 } }),
    ],
    metrics: ["strategy/archiveHits", "tasks/visitsBefore"],
  },
  chain: {
    rows: "SAGE: skills carried over a chain",
    ...HOUSEHOLD,
    arms: [
      plain("group", POOL),
      by("chain", { settings: POOL }),
      by("chain", { name: "chain-agent", settings: { ...POOL, "strategy.write": "agent" } }),
    ],
    metrics: ["strategy/skillsCarried"],
  },
  curriculum: {
    rows: "Curricula over a pool",
    ...HOUSEHOLD,
    arms: [
      plain("group", POOL),
      by("curriculum", { settings: POOL }),
      by("curriculum", { name: "easy-first", settings: { ...POOL, "strategy.by": "easy-first" } }),
    ],
    metrics: ["strategy/passedOver"],
  },
  replay: {
    rows: "DOTS + RR: replay and difficulty, over a pool and without one",
    ...HOUSEHOLD,
    arms: [plain("group"), by("replay"), by("replay", { name: "replay-pool", settings: POOL })],
    metrics: ["strategy/replayedGroups"],
  },
  dars: {
    rows: "DARS, XRPO: hard tasks up at the same budget",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [
      plain("group"),
      { name: "dars", recipe: "dars", settings: SMALL },
      { name: "dars-hardness", recipe: "dars", preset: "hardness", settings: SMALL },
      { name: "xrpo", recipe: "xrpo", settings: SMALL },
    ],
    metrics: ["strategy/extraRollouts"],
  },
  "step-grpo": {
    rows: "EmbodiedBrain / Step-GRPO: guided groups differ more often than whole ones, and success comes sooner",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [plain("group"), { ...plain("step-grpo"), credit: "step-grpo" }],
    metrics: ["strategy/mixedGuided", "strategy/mixedFull"],
  },
  ssl: {
    rows: "SSL: graded outcomes by tiers against all or nothing",
    env: "countdown",
    envOptions: { partialCredit: true },
    budget: "tokens=80000",
    arms: [plain("grpo"), { ...plain("ssl"), credit: "ssl" }, { ...plain("tiers"), reward: "tiers" }],
    metrics: ["reward/tiers"],
  },
  "rl-struct": {
    rows: "RL-Struct: structure rewards where actions are JSON",
    env: "tools",
    budget: "steps=16000",
    arms: [
      plain("outcome"),
      {
        ...plain("structure"),
        reward: {
          rewards: [
            { use: "outcome", weight: 1 },
            { use: "structure", weight: 0.3 },
          ],
        },
      },
      {
        ...plain("tool-match"),
        reward: {
          rewards: [
            { use: "outcome", weight: 1 },
            { use: "tool-match", weight: 0.3 },
          ],
        },
      },
    ],
    metrics: ["reward/structure", "reward/tool-match"],
  },
};
