/**
 * Feedback of the world and of the group: what the world answered to the episode's mistakes, and how another episode of
 * the group succeeded. Never its own success: that would only repeat what it did.
 */
import type { Analysis } from "../../skill/skill.ts";
import { avoidanceText, command as quoted, workflowText } from "../../skill/statistics/wording.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import { createForest, episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { contextOptionTable, defineContext, toldAtOpening, type ContextOptions } from "./context.ts";

export const feedback = defineContext({
  info: {
    title: "Feedback",
    meaning:
      "What the world refused in the episode, its verdict where that was failure, and the actions of a successful sibling.",
    missing: "where nothing was refused, the episode succeeded, and no sibling did",
  },
  options: {
    steps: contextOptionTable.steps,
    siblings: contextOptionTable.siblings,
    refusals: contextOptionTable.refusals,
  },
  prepare: (episodes, _sources, options, among) => {
    const siblings = new Map(
      byGroup(among).flatMap(({ trajectories }) => trajectories.map((own) => [own.id, trajectories])),
    );
    const forest = createForest(among);
    const analyses = new Map<string, Analysis>();
    for (const trajectory of episodes) {
      const text = feedbackText(trajectory, { forest, group: siblings.get(trajectory.id) ?? [] }, options);
      if (text !== "") analyses.set(trajectory.id, toldAtOpening(trajectory, text));
    }
    return Promise.resolve({ kind: "told", analyses });
  },
});

interface Peers {
  readonly forest: Forest;
  readonly group: readonly Trajectory[];
}

function feedbackText(own: Trajectory, peers: Peers, options: Omit<ContextOptions, "horizon">): string {
  const { siblings, refusals, steps } = options;
  const mistakes = refusals ? mistakesOf(own) : "";
  const way = siblings ? shortestWay(own, peers) : undefined;
  return [mistakes, way === undefined ? "" : workflowText(way.slice(0, steps))].filter((part) => part !== "").join(" ");
}

/** The refused commands, each once, and the world's verdict where it ended the episode without success. */
function mistakesOf({ steps, success, ending, closing }: Trajectory): string {
  const refused = [...new Set(steps.filter(({ valid }) => !valid).map(({ action }) => action))];
  const last = success === true || ending !== "terminated" ? "" : quoted(closing?.observation ?? "");
  return [avoidanceText({ refused }), last === "" ? "" : `In the end: ${last}`].filter((part) => part !== "").join(" ");
}

/** Of another episode of the group that succeeded, a branch with the steps before it; the first of the shortest. */
function shortestWay({ id }: Trajectory, { forest, group }: Peers): readonly string[] | undefined {
  const others = group.filter((one) => one.id !== id && one.success === true);
  const ways = others.map((one) => episodeSteps(forest, one.id).map(({ action }) => action));
  return ways.filter((way) => way.length > 0).toSorted((left, right) => left.length - right.length)[0];
}
