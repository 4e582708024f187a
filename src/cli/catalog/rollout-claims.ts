/** Claims of systems that are rollout strategies. */
import type { Claim } from "./claim.ts";

export const rolloutClaims: Readonly<Record<string, Claim>> = {
  CSO: {
    state: "part",
    lives: "src/rollout/counterfactual.ts",
    command: "limbeck explain counterfactual",
    missing:
      "Critical steps are found by a judge of steps, corrected and verified by rolling out; pairs for DPO are not made from them yet.",
  },
  ECHO: {
    state: "part",
    lives: "src/rollout/echo.ts",
    command: "limbeck explain echo",
    missing: "Tree, pruning, majority and its clip range work; the shaped advantage is not a credit method yet.",
  },
  LATR: {
    state: "works",
    lives: "src/rollout/latr.ts",
    command: "limbeck rollout --env household --policy DIR --strategy latr",
  },
  R3L: {
    state: "part",
    lives: "src/rollout/retry.ts",
    command: "limbeck explain retry",
    missing:
      "Retries and pivotal credit (r3l) work from code, where the reflector is an argument; the command line has no reflector yet.",
  },
  ROSE: {
    state: "part",
    lives: "src/rollout/rose.ts",
    command: "limbeck rollout --env household --policy DIR --strategy rose",
    missing:
      "Branching by divergence and the segment advantage (credit rose) work; embeddings of tokens are an argument of roseWith, and the length bonus is left out.",
  },
  "SCOPE (step-wise correction)": {
    state: "part",
    lives: "src/rollout/salvage.ts",
    command: "limbeck explain salvage",
    missing:
      "Failed episodes are repaired at their first wrong step, with judge and corrector as arguments; the off-policy ratio on corrected steps is not an objective yet.",
  },
  TreePO: {
    state: "works",
    lives: "src/rollout/treepo.ts",
    command: "limbeck rollout --env household --policy DIR --strategy treepo",
  },
};
