/** In `limbeck play`: a search proposes the next action, the player decides. */
import type { Env } from "limbeck-core/env/env";
import { runSearch } from "limbeck-core/walk/tree/run-search";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, plural } from "limbeck-base/base/units";
import { usageError } from "../parse.ts";
import { givenAgent } from "../../run/given-parts.ts";
import { givenSearch } from "../../run/given-search.ts";
import type { PlayFrame, PlayInput } from "./play.inputs.ts";
import type { World } from "limbeck-core/env/world";

export interface Proposed {
  /** Undefined when the search found nothing to do. */
  readonly action: string | undefined;
  /** For the player. */
  readonly words: string;
}

export interface Searcher {
  /** What the search would do after these actions. */
  propose(actions: readonly string[]): Promise<Proposed>;
  close(): Promise<void>;
}

export async function openSearcher(
  input: PlayInput & { readonly search: string },
  frame: PlayFrame,
  place: { readonly env: Env; readonly task: Task; readonly world: World; readonly id: string },
): Promise<Searcher> {
  const search = await givenSearch(input.search, input, frame);
  const { env, task, world, id } = place;
  const chosen = await givenAgent(input.policy, input, { command: "play --search", world, env: id }, frame);
  const { search: make, ...given } = search.plan;
  return {
    propose: async (actions) => {
      const { signal } = frame;
      const method = make();
      if ("strategy" in method)
        throw usageError("A strategy walks whole episodes, and cannot go on in the middle of one.");
      const result = await runSearch({
        env,
        agent: chosen.agent,
        task,
        search: method,
        seed: task.seed,
        after: actions,
        signal,
        ...given,
      });
      const plan = result.actions.slice(actions.length);
      const end = result.success === true ? "to success" : result.success === false ? "without success" : "so far";
      const spent = `${plural(result.nodes, "node")}, ${formatCount(result.spent.modelCalls)} model calls`;
      const [action] = plan;
      if (action === undefined) return { action, words: `The search found nothing to do (${spent}).` };
      const more = plan.length === 1 ? "" : `, then ${plural(plan.length - 1, "more step")} ${end}`;
      return { action, words: `The search would: ${cleanLine(action)}${more} (${spent}). yes does it.` };
    },
    close: async () => {
      await chosen.close();
      await search.close();
    },
  };
}
