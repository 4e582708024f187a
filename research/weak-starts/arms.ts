/** The arms of the study of weak starts, and its size. */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";

export interface Arm {
  readonly recipe: string;
  readonly credit?: string;
  readonly strategy?: string;
  readonly reward?: string;
  readonly preset?: string;
  readonly settings?: Readonly<Record<string, OptionValue>>;
}

/** What all arms share: half the usual tasks an update and shorter episodes, so that a training fits into minutes of one core. */
export const SIZE = {
  updates: 20,
  tasks: 4,
  group: 8,
  answerTokens: 24,
  heldOut: 96,
  maxSteps: 12,
  temperature: 0.4,
} as const;

/** Half of what the preset has, as the other arms have half of their tasks. */
const SHAPE = { tasks: 10, group: 4 } as const;

export const ARMS: Readonly<Record<string, Arm>> = {
  grpo: { recipe: "grpo" },
  hard: { recipe: "grpo", preset: "hard", settings: SHAPE },
  opid: { recipe: "opid" },
  "opid-cheap": {
    recipe: "opid",
    settings: { learningRate: 3e-4, teachGroups: "differing", teachEvery: 2, stepSkills: 0 },
  },
  gigpo: { recipe: "gigpo" },
  "hard-undemonstrated": { recipe: "grpo", preset: "hard", settings: { ...SHAPE, demonstrations: "none" } },
  dapo: { recipe: "dapo" },
  // Teacher, form, weights and credit as published, at the rate of the other arms and with skills from statistics.
  "opid-published": {
    recipe: "opid",
    preset: "paper",
    settings: {
      analyst: "statistics",
      sections: "compact",
      learningRate: 3e-4,
      miniBatches: 1,
      answerTokens: 24,
    },
  },
};
