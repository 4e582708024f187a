/** What the teacher's part of a training step amounted to, for the report. The shares of advantage terms are credit's. */
import { wasScreened } from "./screen/screen-analyses.ts";
import type { Analysis } from "./skill.ts";
import type { TeacherForest } from "./teacher-forest.ts";

export interface SkillMetrics {
  readonly analyses: number;
  /** Those that the screen stopped are among them. */
  readonly failedAnalyses: number;
  readonly screenedAnalyses: number;
  readonly episodeSkills: number;
  readonly stepSkills: number;
  /** Steps scored with a skill of their own. */
  readonly appliedStepSkills: number;
  /** Steps scored with the episode skill. */
  readonly appliedEpisodeSkills: number;
  /** Rows that should have had a teacher and have none: no room for the skill, or no prompt to put it into. */
  readonly lostTooLong: number;
  readonly lostOther: number;
  readonly shortened: number;
  /** Response tokens with a teacher signal, over all response tokens. */
  readonly taughtTokenShare: number;
  /** Tokens that the teacher has to read, shared beginnings counted again and again. */
  readonly teacherTokens: number;
}

/** `responseTokens` counts all of the batch, those of episodes that were not analysed included. */
export function measureSkills(
  analyses: readonly Analysis[],
  forests: readonly TeacherForest[],
  responseTokens: number,
): SkillMetrics {
  const sequences = forests.flatMap((forest) => forest.sequences);
  const lost = forests.flatMap((forest) => forest.lost);
  const applied = (teacher: string): number =>
    sequences.filter((one) => one.teacher === teacher).reduce((sum, { steps }) => sum + new Set(steps).size, 0);
  const tooLong = lost.filter(({ reason }) => reason === "too-long").length;
  const taught = forests.reduce((sum, forest) => sum + taughtTokens(forest), 0);
  return {
    analyses: analyses.length,
    failedAnalyses: analyses.filter(({ error }) => error !== undefined).length,
    screenedAnalyses: analyses.filter(wasScreened).length,
    episodeSkills: analyses.filter(({ episodeSkill }) => episodeSkill !== undefined).length,
    stepSkills: analyses.reduce((sum, { stepSkills }) => sum + stepSkills.size, 0),
    appliedStepSkills: applied("step"),
    appliedEpisodeSkills: applied("episode"),
    lostTooLong: tooLong,
    lostOther: lost.length - tooLong,
    shortened: forests.reduce((sum, { shortened }) => sum + shortened, 0),
    taughtTokenShare: responseTokens === 0 ? 0 : taught / responseTokens,
    teacherTokens: sequences.reduce((sum, { ids }) => sum + ids.length, 0),
  };
}

/** A token that both teachers score counts once. */
function taughtTokens({ sequences }: TeacherForest): number {
  const tokens = new Set<string>();
  for (const { steps, tokens: inResponse } of sequences) {
    for (const [at, step] of steps.entries()) tokens.add(`${step} ${inResponse[at]}`);
  }
  return tokens.size;
}
