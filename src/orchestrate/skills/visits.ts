/** What the steps of an episode say of its visit to the library, read back from `info.skill1`. */
import { scoreValue, type Step, type Trajectory } from "../../trajectory/index.ts";
import type { Visit } from "./shelf.ts";

interface Note {
  readonly segment?: string;
  readonly candidates?: readonly { readonly id: number; readonly utility: number }[];
  readonly chosen?: number;
  readonly utility?: number;
  readonly written?: { readonly scenario: string; readonly text: string };
}

export type CreditedSegment = "selection" | "utilisation" | "distillation";

/** Query and choice are one segment; a step without a note is acting. */
export function segmentOf({ info }: Pick<Step, "info">): CreditedSegment {
  const { segment } = readNote(info);
  return segment === "query" || segment === "select"
    ? "selection"
    : segment === "write"
      ? "distillation"
      : "utilisation";
}

export interface EpisodeVisit extends Visit {
  /** Utilities of the candidates, and of the chosen one, when it was chosen. */
  readonly candidateUtilities: readonly number[];
  readonly chosenUtility: number | undefined;
}

/**
 * Undefined where nobody scored the episode: it changes no utility and earns no credit.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const visits = trajectories.map(visitOf);
 * console.log(visits[0]?.outcome, visits[0]?.chosen); // 1 undefined
 */
export function visitOf(trajectory: Pick<Trajectory, "steps" | "success" | "reward">): EpisodeVisit | undefined {
  const outcome = outcomeValue(trajectory);
  if (outcome === undefined) return undefined;
  const notes = trajectory.steps.map(({ info }) => readNote(info));
  const choice = notes.findLast(({ chosen }) => chosen !== undefined);
  return {
    outcome,
    chosen: choice?.chosen,
    chosenUtility: choice?.utility,
    candidateUtilities: choice?.candidates?.map(({ utility }) => utility) ?? [],
    written: notes.findLast(({ written }) => written !== undefined)?.written,
  };
}

/** R from 0 to 1 where the world says whether it succeeded; its reward otherwise. */
function outcomeValue({ success, reward }: Pick<Trajectory, "success" | "reward">): number | undefined {
  const value = scoreValue(reward);
  return value === undefined || success === null ? value : Number(success);
}

function readNote(info: Step["info"]): Note {
  const note = info?.["skill1"];
  return typeof note === "object" && note !== null && !Array.isArray(note) ? (note as Note) : {};
}
