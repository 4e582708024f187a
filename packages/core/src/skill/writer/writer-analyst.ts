/** An analyst whose skills a writer writes, with those of the statistics where it cannot. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Analysis, Analyst, Writer } from "../skill.ts";
import { parseAnalysis, skillsOf } from "../model/parse-analysis.ts";
import { textsOf } from "../screen/screen-analyses.ts";
import { buildAnalystRequest } from "../model/request.ts";
import { labelOutcome } from "../outcome.ts";
import { createStatisticsAnalyst } from "../statistics/statistics.ts";
import { briefEpisodes } from "./brief.ts";

const AT_ONCE = 8;
const LONGEST_ANSWER = 2_048;

/**
 * Asks the writer about each episode; an episode that it cannot speak of gets what its group shows.
 *
 * @example
 * import { createWriter } from "limbeck/skill";
 *
 * const writer = createWriter({ chat: { complete: () => Promise.reject(new Error("offline")) } });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const [analysis] = await createWriterAnalyst(writer).analyse(trajectories, { maxStepSkills: 1 });
 * console.log(analysis?.episodeSkill !== undefined, analysis?.error); // true undefined
 */
export function createWriterAnalyst(writer: Writer, fallback: Analyst = createStatisticsAnalyst()): Analyst {
  return {
    id: "model",
    writtenBy: (other) => createWriterAnalyst(other, fallback),
    analyse: async (group, options) => {
      const { select = () => true, signal, maxStepSkills } = options;
      // The statistics look at the whole group; it costs next to nothing, and only once.
      let found: Promise<Analysis[]> | undefined;
      const templateFor = async (id: string): Promise<Analysis | undefined> => {
        found ??= fallback.analyse(group, options);
        return (await found).find(({ trajectory }) => trajectory === id);
      };
      return await mapLimit(
        group.filter(select),
        AT_ONCE,
        async (trajectory): Promise<Analysis> => {
          const base = { trajectory: trajectory.id, outcome: labelOutcome(trajectory), stepSkills: new Map() };
          const candidates = trajectory.steps.map(({ index }) => index);
          const { value, why } = await writer.write<Analysis>(
            {
              kind: "skill",
              // The request quotes the episode itself.
              wanted: buildAnalystRequest(trajectory, { maxStepSkills }),
              material: [],
              brief: briefEpisodes(trajectory, group, { maxStepSkills }),
              maxTokens: LONGEST_ANSWER,
              goal: trajectory.task.goal,
              read: (text) => {
                const parsed = parseAnalysis(text, candidates, maxStepSkills);
                if (!parsed.ok) return undefined;
                return { ...base, ...skillsOf(trajectory, parsed) };
              },
              textsOf,
              template: () => templateFor(trajectory.id),
            },
            withoutUndefined({ signal }),
          );
          const error = { code: "analysis-no-skill", message: why ?? "Nobody wrote about it." };
          return value ?? { ...base, error };
        },
        withoutUndefined({ signal }),
      );
    },
  };
}
