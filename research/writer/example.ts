/** A question and its true answer, and the group that it comes from. */
import type { Trajectory } from "limbeck";
import { briefQuestion } from "../../packages/core/src/skill/writer/brief.ts";
import type { WritingKind } from "../../packages/core/src/skill/skill.ts";
import type { Ground } from "./truth.ts";
import type { WriterWorld } from "./worlds.ts";

export interface Example {
  readonly world: string;
  readonly kind: WritingKind;
  /** What it is asked about; the question is made of it. */
  readonly brief: readonly string[];
  readonly answer: string;
  /** The episode it is about, and the step where it is about one. */
  readonly trajectory: string;
  readonly step?: number;
  /** Most hints, of a skill. */
  readonly most?: number;
}

export function questionOf({ kind, brief }: Pick<Example, "kind" | "brief">): string {
  return briefQuestion({ kind, brief, material: [] });
}

export type Made = Omit<Example, "world" | "trajectory">;

/** A group with everything that is known of it. */
export interface Studied {
  readonly world: WriterWorld;
  readonly ground: Ground;
  readonly group: readonly Trajectory[];
  /** The shortest success without its detours; undefined where nobody won. */
  readonly way: readonly string[] | undefined;
}

/** Longer ways are not told. */
export const LONGEST_WAY = 12;
