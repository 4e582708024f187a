/** Pairs: which of two things an agent did is to be preferred, found in finished trajectories. */
import { lookUp } from "limbeck-base/base/registry";
import { resolveOptions } from "limbeck-base/base/options";
import type { Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentQ } from "./agent-q.ts";
import { cso } from "./cso.ts";
import { episodes } from "./episodes.ts";
import { fate } from "./fate.ts";
import type { Pair, PairSource } from "./pair.ts";
import { r3l } from "./r3l.ts";
import { siblings } from "./siblings.ts";

/** Every source. A new one is a file, a test and a line here. */
export const pairSources = {
  "agent-q": agentQ,
  cso,
  episodes,
  fate,
  r3l,
  siblings,
} as const satisfies Record<string, PairSource>;
export type PairSourceId = keyof typeof pairSources;

/**
 * A source of pairs by its name; an unknown name gives an error that lists the choices.
 *
 * @example
 * console.log(getPairSource("siblings").level, Object.keys(getPairSource("episodes").options)); // step [ "gap" ]
 */
export function getPairSource(name: string): PairSource {
  return lookUp<PairSource>(pairSources, name, "source of pairs");
}

/**
 * The pairs of a source, with its options checked and filled in.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy";
 *
 * let said = 0;
 * const policy = createScriptedPolicy({ script: () => `<answer>${said++ === 0 ? "10 + 9 + 4" : "10 + 9 - 4"}</answer>` });
 * const { trajectories } = await rollout({ env: "countdown", policy, tasks: 1, group: 2 });
 * console.log(findPairs("episodes", trajectories).map(({ margin }) => margin)); // [ 1 ]
 */
export function findPairs(
  name: string,
  trajectories: readonly Trajectory[],
  options: Readonly<Record<string, unknown>> = {},
  forest?: Forest,
): Pair[] {
  const source = getPairSource(name);
  return source.find(trajectories, resolveOptions(source.options, options, `the source of pairs ${name}`), forest);
}
