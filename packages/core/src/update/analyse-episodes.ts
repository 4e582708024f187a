/** The one way from an analyst to a prompt: group by group, with other texts where a control asks for them, and screened. */
import { screenAnalyses, wasScreened } from "../skill/screen/screen-analyses.ts";
import type { Analysis, Analyst, AnalyseOptions } from "../skill/skill.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export type Analyses = ReadonlyMap<string, Analysis>;

/** `exchange` may put other texts in the place of the analyst's; what it gives is screened too. */
export async function analyseEpisodes(
  analyst: Analyst,
  episodes: readonly Trajectory[],
  options: AnalyseOptions,
  exchange: (analyses: Analyses) => Promise<Analyses> | Analyses = (analyses) => analyses,
): Promise<Analyses> {
  const found = await Promise.all(byGroup(episodes).map(({ trajectories }) => analyst.analyse(trajectories, options)));
  const analyses = await exchange(new Map(found.flat().map((analysis) => [analysis.trajectory, analysis])));
  // The statistics analyst writes down commands that were given, never what was seen.
  return screenAnalyses(analyses, episodes, { wroteFreely: analyst.id !== "statistics" });
}

/** Those that the screen stopped are counted for themselves. */
export function countAnalyses(analyses: Analyses): Record<"failed" | "screened" | "stepSkills", number> {
  const all = [...analyses.values()];
  return {
    failed: all.filter((analysis) => analysis.error !== undefined && !wasScreened(analysis)).length,
    screened: all.filter(wasScreened).length,
    stepSkills: all.reduce((total, { stepSkills }) => total + stepSkills.size, 0),
  };
}
