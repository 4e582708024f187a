/** Contexts on episodes made by hand: what each says, without any model. */
import { resolveOptions } from "../../packages/base/src/base/options.ts";
import { contextOptionTable, type ContextSources } from "../../packages/core/src/distill/contexts/context.ts";
import { type ContextId, getContext } from "../../packages/core/src/distill/contexts/index.ts";
import type { Analysis } from "../../packages/core/src/skill/skill.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

interface Act {
  readonly action: string;
  readonly valid?: boolean;
  /** What was seen before it. */
  readonly seen?: string;
}

/** An episode of one group. Default: it ended by itself. */
export function episodeOf(
  id: string,
  acts: readonly Act[],
  more: Partial<Pick<Trajectory, "success" | "ending" | "closing" | "parent">> = {},
): Trajectory {
  const steps = acts.map(({ action, valid = true, seen = "" }, at): Step => ({
    index: (more.parent?.step ?? 0) + at,
    observation: seen,
    stateKey: seen,
    action,
    valid,
    reward: scored(0),
  }));
  return {
    id,
    task: { id: "task", env: "world", seed: 0, goal: "a goal", split: "train" },
    group: "group",
    steps,
    streams: [],
    ending: "terminated",
    reward: scored(more.success === true ? 1 : 0),
    success: false,
    rewards: [],
    policy: { name: "by hand" },
    ...more,
  };
}

const NOBODY: ContextSources = {
  solve: () => Promise.reject(new Error("nobody is asked")),
  analyse: () => Promise.reject(new Error("nobody is asked")),
};

/** What the teacher of each episode is told; undefined where nothing. */
export async function tellEach(
  context: ContextId,
  episodes: readonly Trajectory[],
  {
    sources = {},
    options = {},
  }: { readonly sources?: Partial<ContextSources>; readonly options?: Readonly<Record<string, unknown>> } = {},
): Promise<readonly (Analysis | undefined)[]> {
  const resolved = resolveOptions(contextOptionTable, options, "the context");
  const told = await getContext(context).prepare(episodes, { ...NOBODY, ...sources }, resolved, episodes);
  return episodes.map(({ id }) => (told.kind === "plain" ? undefined : told.analyses.get(id)));
}
