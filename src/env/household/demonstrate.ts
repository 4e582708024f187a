/** Lets a demonstrator act until the episode ends. */
import type { Rng } from "../../base/index.ts";
import type { Episode } from "../env.ts";
import type { Demonstrator } from "../expert.ts";

export interface Demonstrated {
  readonly success: boolean | null;
  readonly actions: readonly string[];
}

export async function demonstrate(episode: Episode, demonstrator: Demonstrator, rng: Rng): Promise<Demonstrated> {
  const demonstration = demonstrator.start(episode.task, rng);
  const actions: string[] = [];
  while (episode.ending === undefined) {
    const { observation } = episode;
    const action = demonstration.next({ action: actions.at(-1), observation, admissible: episode.admissible() });
    actions.push(action);
    await episode.step(action);
  }
  return { success: episode.success, actions };
}
