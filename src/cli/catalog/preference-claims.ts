/** What of imitation and preferences from trajectories works. */
import type { Claim } from "./claim.ts";

export const preferenceClaims: Readonly<Record<string, Claim>> = {
  "Agent Q": {
    state: "part",
    lives: "src/recipe/agent-q.ts",
    command: "limbeck train --recipe agent-q",
    missing:
      "Tree search, mixed values, sibling pairs and logged likelihoods as the reference work; the critique in words needs a text model, which the recipe has not: likelihoods rank instead.",
  },
  CSO: {
    state: "part",
    lives: "src/recipe/cso.ts",
    command: "limbeck train --recipe cso",
    missing:
      "Only verified critical steps are learned, with the policy's own or a demonstrator's alternatives; candidates are the least likely answers, not those a process reward model flags.",
  },
  "Early Experience": {
    state: "part",
    lives: "src/recipe/early-experience.ts",
    command: "limbeck train --recipe early-experience",
    missing:
      "Next-observation prediction and contrastive reasons without any reward work; the command writes reasons from the observations, a language model's are an argument of the library.",
  },
  FATE: {
    state: "part",
    lives: "src/recipe/fate.ts",
    command: "limbeck train --recipe fate --env tools --model DIR",
    missing:
      "Repairs, four verdicts and the Pareto front work on what the world records; the front is favoured by pairs, and no safety study was run.",
  },
  GRAPE: {
    state: "part",
    lives: "src/distill/pairs/episodes.ts",
    command: "limbeck train --recipe online-dpo",
    missing: "Trajectory-wise preference works on summed log-ratios; costs of stages by a vision model are not here.",
  },
  ProAct: {
    state: "part",
    lives: "src/recipe/lookahead.ts",
    command: "limbeck train --recipe lookahead",
    missing:
      "Lookahead as a chain of causes and effects, and values from random play (credit mc-critic), work; a language model does not write the chain.",
  },
  R3L: {
    state: "part",
    lives: "src/rollout/retry.ts",
    command: "limbeck train --recipe grpo --credit r3l",
    missing:
      "Retries from the pivot, pivotal credit, amplification and pairs (recipe r3l-pairs) work, with the world's demonstrator as reflector; the reflection itself is not trained.",
  },
  SPEAR: { state: "works", lives: "src/recipe/spear.ts", command: "limbeck train --recipe spear" },
};
