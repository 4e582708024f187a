/** What works of on-policy distillation beyond the outcome, by the system's name in data/catalog.tsv. */
import type { Claim } from "./claim.ts";

export const distillClaims: Readonly<Record<string, Claim>> = {
  AOPD: { state: "works", lives: "src/recipe/aopd.ts", command: "limbeck train --recipe aopd" },
  KEPO: { state: "works", lives: "src/recipe/kepo.ts", command: "limbeck train --recipe kepo" },
  OTR: {
    state: "works",
    lives: "src/objective/otr.ts",
    command: "limbeck sft --model DIR --in FILE --out DIR --objective otr",
  },
  PBSD: { state: "works", lives: "src/credit/pbsd.ts", command: "limbeck train --recipe pbsd" },
  "PW-OPSD": {
    state: "part",
    lives: "src/recipe/pw-opsd.ts",
    command: "limbeck train --recipe pw-opsd",
    missing:
      "Both forms of the weights run in a training; the diagnostic that forces a teacher's alternatives is not here.",
  },
  RAFT: { state: "works", lives: "src/recipe/raft.ts", command: "limbeck train --recipe raft" },
  "SCOPE (signal-calibrated OPD)": {
    state: "works",
    lives: "src/recipe/scope-a.ts",
    command: "limbeck train --recipe scope-a",
  },
  "SCOPE (step-wise correction)": {
    state: "part",
    lives: "src/recipe/scope-b.ts",
    command: "limbeck train --recipe scope-b",
    missing:
      "Failed episodes are mended and learned from with a bent ratio; who finds the wrong step is the world's feedback, as no process reward model is bundled.",
  },
  TCOD: { state: "works", lives: "src/recipe/tcod.ts", command: "limbeck train --recipe tcod" },
  TRD: { state: "works", lives: "src/recipe/trd.ts", command: "limbeck train --recipe trd" },
};
