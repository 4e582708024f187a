/**
 * What works, by the system's name in data/catalog.tsv. A method that is built adds its line here; everything else is
 * "not yet". A test refuses a claim without a command, for an unknown system or with a command that does not exist.
 */

export interface Claim {
  readonly state: "works" | "part";
  /** The file or registry entry. */
  readonly lives: string;
  /** One command that shows it. */
  readonly command: string;
  /** What a part lacks. */
  readonly missing?: string;
}

export const claims: Readonly<Record<string, Claim>> = {
  "Agent Data Protocol (ADP)": {
    state: "part",
    lives: "src/store/formats/adp.ts",
    command: "limbeck sft --model DIR --in FILE --format adp --out DIR",
    missing:
      "Reads versions 1.0 to 1.2 and renders them for fine-tuning with loss masks (limbeck sft); what is written is ATIF, their successor, not ADP.",
  },
  GiGPO: {
    state: "part",
    lives: "src/credit/gigpo.ts",
    command: "limbeck explain gigpo",
    missing: "The credit is complete; a recipe that rolls out and trains with it comes with release 0.6.",
  },
  HGPO: {
    state: "part",
    lives: "src/credit/hgpo.ts",
    command: "limbeck explain hgpo",
    missing: "The credit is complete; a recipe that rolls out and trains with it comes with release 0.6.",
  },
  MAPO: {
    state: "part",
    lives: "src/credit/mapo.ts",
    command: "limbeck explain mapo",
    missing: "The credit works on given scores of turns; the judge that gives them comes with release 0.5.",
  },
  "MC-GRPO": {
    state: "part",
    lives: "src/credit/mc-grpo.ts",
    command: "limbeck explain mc-grpo",
    missing: "The credit is complete; a recipe that samples the extra rollout comes with release 0.6.",
  },
  OPID: {
    state: "part",
    lives: "src/credit/opid.ts",
    command: "limbeck explain opid",
    missing:
      "Teacher terms and their fusion work on given log-probabilities; analysis, injection and training come with release 0.6.",
  },
  ReMax: {
    state: "part",
    lives: "src/credit/remax.ts",
    command: "limbeck explain remax",
    missing: "The credit is complete; a recipe that adds the greedy rollout comes with release 0.6.",
  },
};
