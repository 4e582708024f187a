/**
 * Which skill a step is scored with. "step_priority" is critical first: a step with its own skill listens to that one,
 * every other step of the episode to the episode skill.
 */
import { unknownName } from "limbeck-base/base/registry";

/**
 * "additive": critical steps are scored twice, each prompt with one skill. "both_at_once": once, with both in one
 * prompt. "episode_only" and "step_only" use a single level.
 */
export const TEACHER_MODES = ["step_priority", "additive", "both_at_once", "episode_only", "step_only"] as const;
export type TeacherMode = (typeof TEACHER_MODES)[number];

export interface RoutingOptions {
  /** A weight that is not above 0 silences its teacher. */
  readonly episodeWeight: number;
  readonly stepWeight: number;
  /** Default: "step_priority". */
  readonly mode?: TeacherMode;
}

export interface TeacherSources {
  readonly useEpisode: boolean;
  readonly useStep: boolean;
}

/** For a row of a trajectory whose analysis succeeded; other rows use neither. */
export function selectTeacherSources(
  stepSkill: string | undefined,
  { episodeWeight, stepWeight, mode = "step_priority" }: RoutingOptions,
): TeacherSources {
  if (!TEACHER_MODES.includes(mode)) throw unknownName(mode, TEACHER_MODES, "teacher mode");
  const offered = stepSkill !== undefined && stepSkill.trim() !== "";
  const useStep = offered && stepWeight > 0 && mode !== "episode_only";
  const useEpisode = episodeWeight > 0 && mode !== "step_only" && (mode === "additive" || !useStep);
  return { useEpisode, useStep };
}
