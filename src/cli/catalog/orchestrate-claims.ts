/** Claims of systems in which a policy chooses whom to ask, and of those that choose what is learned from. */
import type { Claim } from "./claim.ts";

export const orchestrateClaims: Readonly<Record<string, Claim>> = {
  Maestro: {
    state: "works",
    lives: "src/orchestrate/with-experts.ts",
    command: "limbeck train --recipe maestro --env household --experts FILE",
  },
  TopoCurate: {
    state: "part",
    lives: "src/distill/curation/topology.ts",
    command: "limbeck sft --model DIR --in FILE --out DIR --curate 2",
    missing:
      "Trajectories are chosen by recovery, efficiency and rarity (also by the setting curate of rejection-sampling); tasks by error branches and heterogeneity from code (chooseTasks). The published weights are not known: all are 1.",
  },
};
