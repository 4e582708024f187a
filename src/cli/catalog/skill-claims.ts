/** Claims of systems that find, keep and offer skills. */
import type { Claim } from "./claim.ts";

export const skillClaims: Readonly<Record<string, Claim>> = {
  PANDO: {
    state: "part",
    lives: "src/skill/lifecycle/lifecycle.ts",
    command: "limbeck skills tend",
    missing:
      "Confidence, demotion, a stable prompt prefix and the three measures of an episode work; rules with parameters come from groups of runs, not from single ones, and observations are not compressed.",
  },
  ROAD: {
    state: "part",
    lives: "src/skill/extract/protocol.ts",
    command: "limbeck skills extract --protocol",
    missing:
      "Root causes, merged patterns and branches that cite their runs work over rounds, without a model; the protocol is written for people and is not put into the prompt by itself.",
  },
  Skill1: {
    state: "works",
    lives: "src/recipe/skill1.ts",
    command: "limbeck train --recipe skill1",
  },
  "SPARK (PDI)": {
    state: "part",
    lives: "src/skill/extract/groundedness.ts",
    command: "limbeck skills extract",
    missing:
      "The index is here as planDegradation and, for a skill, as groundedness, which keeps plan-only skills apart; the loop of execute, judge, reflect and retry is not.",
  },
};
