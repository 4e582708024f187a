/** Rollout strategies and rewards. */
import { by, HOUSEHOLD, LONG, plain, POOL, SMALL, type Study } from "./study.ts";

export const strategyStudies: Readonly<Record<string, Study>> = {
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
