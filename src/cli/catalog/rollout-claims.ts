/** Claims of systems that are rollout strategies. */
import type { Claim } from "./claim.ts";

export const rolloutClaims: Readonly<Record<string, Claim>> = {
  AgentMath: {
    state: "part",
    lives: "src/rollout/partial.ts",
    command: "limbeck rollout --env household --policy DIR --strategy partial",
    missing:
      "Partial rollouts that go on later, with masks and log-probabilities kept, and asynchronous episodes work; its tool traces and the balancing of several servers are not here.",
  },
  APRIL: {
    state: "works",
    lives: "src/rollout/partial.ts",
    command: "limbeck rollout --env household --policy DIR --strategy partial",
  },
  ARRoL: {
    state: "part",
    lives: "src/rollout/prune.ts",
    command: "limbeck rollout --env household --policy DIR --strategy prune",
    missing:
      "Pruning to balance by an online predictor works, on features of the episode instead of hidden states; on household it saves tokens but loses tasks (docs/results.md).",
  },
  "CAT (SWE-Compressor)": {
    state: "part",
    lives: "src/rollout/context-action.ts",
    command: "limbeck rollout --env household --policy DIR --prompts context",
    missing:
      "Condensing the context is an action with exact tokens; its training data and the recent turns that it keeps are not here.",
  },
  DARS: {
    state: "part",
    lives: "src/rollout/allocate.ts",
    command: "limbeck rollout --env household --policy DIR --strategy allocate --set by=equal",
    missing:
      "Extra rollouts by difficulty solve more hard tasks than an even split (docs/results.md), and credit dars goes with them; the full-batch updates are left to the settings of a recipe.",
  },
  DART: {
    state: "part",
    lives: "src/rollout/archive.ts",
    command: "limbeck train --recipe grpo --strategy archive --set stepShare=0.8",
    missing:
      "Success archive, rollout count and length by difficulty, and learning only from the steps of highest entropy work; truncated importance weights go with --lag, which the archive does not.",
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
  MemSearcher: {
    state: "part",
    lives: "src/rollout/memory-prompts.ts",
    command: "limbeck rollout --env household --policy DIR --prompts memory",
    missing:
      "Contexts of question, rewritten memory and this turn are exact in tokens, and credit multi-context-grpo shares the advantage; no recipe was trained with them.",
  },
  "RollArt (RollArc)": {
    state: "part",
    lives: "src/fleet/roll-out-on-fleet.ts",
    command: "limbeck train --recipe grpo --lag 1 --fleet URL",
    missing:
      "Worlds, policies and weights run on machines of their own (--fleet, --trainer) with a bounded lag; prefill and decode are not apart, and rewards run where the training does.",
  },
  ROSE: {
    state: "part",
    lives: "src/rollout/rose.ts",
    command: "limbeck rollout --env household --policy DIR --strategy rose",
    missing:
      "Branching by divergence and the segment advantage (credit rose) work; embeddings of tokens are an argument of roseWith, and the length bonus is left out.",
  },
  "SAGE (skill-augmented GRPO)": {
    state: "part",
    lives: "src/rollout/chain.ts",
    command: "limbeck rollout --env household --policy DIR --strategy chain",
    missing:
      "Chains of tasks with skills that are written and called work, and their rewards are kept; skills are lists of actions, not programs, and no recipe trains on the reward.",
  },
  SAPO: {
    state: "part",
    lives: "src/rollout/share.ts",
    command: "limbeck explain share",
    missing:
      "Rollouts of other runs join the groups of their tasks; where they come from is an argument (pool), which the command line does not give yet.",
  },
  TreePO: {
    state: "works",
    lives: "src/rollout/treepo.ts",
    command: "limbeck rollout --env household --policy DIR --strategy treepo",
  },
  XRPO: {
    state: "part",
    lives: "src/rollout/allocate.ts",
    command: "limbeck rollout --env household --policy DIR --strategy allocate --set by=interval",
    missing:
      "Allocation, seeding and the sharpened advantage (credit xrpo) work; no recipe was trained with them together.",
  },
};
