/** Rollout strategies and rewards. */
import { by, HOUSEHOLD, LONG, plain, POOL, SMALL, type Study } from "./study.ts";

export const strategyStudies: Readonly<Record<string, Study>> = {
  treepo: {
    rows: "TreePO: as good at a third fewer sampled tokens (equal tokens here)",
    env: "household",
    budget: "tokens=80000",
    arms: [plain("group"), { ...by("treepo"), credit: "treepo" }],
    metrics: ["strategy/tokensSaved", "strategy/branches"],
  },
  latr: {
    rows: "LATR: fewer groups without differences, at least as good",
    env: "research",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      by("latr"),
      by("latr", {
        name: "latr-published",
        settings: { "strategy.firstLook": 20, "strategy.secondLook": 30, "strategy.thirdLook": 50 },
      }),
    ],
    metrics: ["strategy/branches"],
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
  dars: {
    rows: "DARS: hard tasks up at the same budget",
    ...HOUSEHOLD,
    envOptions: LONG,
    arms: [
      plain("group"),
      { name: "dars", recipe: "dars", settings: SMALL },
      { name: "dars-hardness", recipe: "dars", preset: "hardness", settings: SMALL },
    ],
    metrics: ["strategy/extraRollouts"],
  },
  "treeps-rag": {
    rows: "TreePS-RAG: frontier by documents, equal sampled tokens",
    env: "research",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      { ...plain("treeps-rag"), credit: "treeps-rag" },
      { ...plain("treeps-rag-order", { "strategy.frontier": "order" }), credit: "treeps-rag" },
    ],
    metrics: ["strategy/branches", "strategy/tokensSaved"],
  },
  rose: {
    rows: "ROSE: branching by meaning",
    env: "countdown",
    budget: "tokens=80000",
    arms: [
      plain("group"),
      { ...plain("rose"), credit: "rose" },
      { ...plain("rose-entropy", { "strategy.metric": "entropy" }), credit: "rose" },
    ],
    metrics: ["strategy/branches"],
  },
  echo: {
    rows: "ECHO: accuracy without labels rises by 0.05 or more",
    // Answers are a few words here; two right formulas of countdown seldom read alike.
    env: "research",
    budget: "tokens=80000",
    arms: [
      { ...plain("majority"), reward: "majority" },
      { ...plain("echo"), credit: "echo", reward: "majority" },
      { ...plain("echo-no-bonus", { "credit.bonus": 0 }), credit: "echo", reward: "majority" },
    ],
    metrics: ["reward/majority", "reward/majority.share", "strategy/branches"],
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
