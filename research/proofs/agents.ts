/** Recipes for agents: tool calls, imitation of one's own best, rewritten episodes, a library of skills. */
import { plain, POOL, SMALL, type Study } from "./study.ts";

/** Rewrites are whole second episodes: small updates, so that both accounts are measured in a few minutes. */
const TAUGHT = { tasks: 4, group: 8, learningRate: 1e-4 } as const;
const taught: Pick<Study, "env" | "arms" | "metrics"> = {
  env: "household",
  arms: [
    { name: "opd", recipe: "opd", settings: TAUGHT },
    // The same knowledge and the same divergence as the rewrites, along the policy's own episodes.
    { name: "raw", recipe: "sdft", settings: { ...TAUGHT, missing: "skip" } },
    { name: "trd", recipe: "trd", settings: TAUGHT },
  ],
  metrics: ["trd/mended", "trd/rewritten"],
};

export const agentStudies: Readonly<Record<string, Study>> = {
  "tools-agents": {
    rows: "PORTool: fewer calls for each solved query than GRPO after training. SPEAR: success rises faster than with GRPO, entropy stays in a band, old advantages shrink",
    env: "tools",
    budget: "steps=8000",
    arms: [
      plain("grpo"),
      { ...plain("portool"), credit: "portool" },
      // About 10 updates: the imitation has its full weight after eight, and the bonus for calls is gone by then.
      { name: "spear", recipe: "spear", settings: { ...SMALL, toolBonus: true, toolUpdates: 8, rampUpdates: 8 } },
    ],
    metrics: [
      "credit/fork.meanAbs",
      "credit/trajectory.meanAbs",
      "replay/oldEntered",
      "replay/oldNow",
      "replay/rows",
      "entropy/lowest",
      "entropy/highest",
    ],
    stepsPerSolved: true,
  },
  "trd-updates": {
    rows: "TRD: learning along rewrites beats learning along raw episodes, equal updates",
    ...taught,
    budget: "updates=12",
  },
  "trd-steps": { rows: "TRD: the same at equal environment steps", ...taught, budget: "steps=6000" },
  skill1: {
    rows: "Skill1: with a library that is written, chosen from and judged by use, success rises and does not collapse",
    env: "household",
    budget: "steps=8000",
    arms: [
      plain("grpo", POOL),
      { name: "skill1", recipe: "skill1", settings: { ...SMALL, ...POOL, judge: "later" } },
      { name: "skill1-own", recipe: "skill1", settings: { ...SMALL, ...POOL } },
    ],
    metrics: ["library/skills", "library/meanUtility", "library/judged", "provider/skill-segments/chosen"],
  },
};
