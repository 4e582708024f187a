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

export const ARMS: Readonly<Record<string, Arm>> = {
  grpo: { recipe: "grpo" },
  opid: { recipe: "opid" },
  gigpo: { recipe: "gigpo" },
  dapo: { recipe: "dapo" },
};
