/** Trees that train: as good at fewer tokens, values for segments and searches, votes without labels. */
import { by, plain, type Study } from "./study.ts";

export const treeStudies: Readonly<Record<string, Study>> = {
  trees: {
    rows: "TreePO: no worse than plain groups at equal sampled tokens. SPO: segments by tokens are better",
    env: "household",
    budget: "tokens=50000",
    arms: [plain("group"), { ...by("treepo"), credit: "treepo" }, { ...plain("spo-tree"), credit: "spo-tree" }],
    metrics: ["strategy/tokensSaved", "strategy/branches"],
  },
  "treeps-rag": {
    rows: "TreePS-RAG: at least as good as plain groups at equal sampled tokens",
    env: "research",
    budget: "tokens=50000",
    arms: [plain("group"), { ...plain("treeps-rag"), credit: "treeps-rag" }],
    metrics: ["strategy/branches", "strategy/tokensSaved"],
  },
  rose: {
    rows: "ROSE: the penalty makes correct answers shorter (credit/correctTokens), success is held",
    env: "countdown",
    // The bundled model solves none of the medium puzzles by itself.
    envOptions: { level: "easy" },
    budget: "tokens=50000",
    arms: [
      { ...plain("rose"), credit: "rose" },
      { ...plain("rose-length", { "credit.lengthPenalty": 1 }), credit: "rose" },
    ],
    metrics: ["credit/correctTokens", "strategy/branches"],
  },
  echo: {
    rows: "ECHO: success without labels rises by 0.05 or more over 40 updates, at the tokens of branching by entropy alone",
    // Answers are a few words here, so that a vote has a winner; two right formulas of countdown seldom read alike.
    env: "research",
    // About 40 updates of branching by entropy alone.
    budget: "tokens=15000",
    arms: [
      by("tree", { name: "entropy-only", reward: "majority", settings: { tasks: 4 } }),
      // With the defaults, which are the published ones, nothing branches; with these three of eight paths do.
      by("echo", {
        credit: "echo",
        reward: "majority",
        settings: {
          tasks: 4,
          "strategy.entropyHigh": 0.5,
          "strategy.entropyLow": 0,
          "strategy.confidenceMost": 12,
          "strategy.riseMost": 2,
        },
      }),
    ],
    metrics: ["reward/majority", "reward/majority.share", "strategy/branches", "credit/clipRange"],
  },
};
