/** Household's expert that loses track of the state in some of its episodes: now and then it takes a thing from where it is not. */
import { pick, type Rng } from "../../packages/base/src/base/rng.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import { expert } from "../../packages/worlds/src/household/demonstrators.ts";
import { createMemory } from "../../packages/worlds/src/household/memory.ts";

/** `episodes` is the share of episodes in which it slips, `steps` the chance at each step of one. A slip is refused and costs a step. */
export function createSlipper({
  episodes,
  steps,
}: {
  readonly episodes: number;
  readonly steps: number;
}): Demonstrator {
  return {
    id: "slipper",
    summary: "The expert, which in some episodes takes things from where they are not.",
    start: (task, rng) => {
      const steady = expert.start(task, rng.split("steady"));
      const slips = rng.split("slips");
      const chance = slips.float() < episodes ? steps : 0;
      const { memory, notice } = createMemory();
      return {
        next: (seen) => {
          notice(seen);
          const meant = steady.next(seen);
          const wrong = slips.float() < chance ? absent(memory, slips) : undefined;
          return wrong ?? meant;
        },
      };
    },
  };
}

/** A thing that was seen, to be taken from a place out of reach. */
function absent({ contents, atHand }: ReturnType<typeof createMemory>["memory"], rng: Rng): string | undefined {
  const away = [...contents].flatMap(([place, things]) =>
    atHand.includes(place) ? [] : things.map((thing) => `take ${thing} from ${place}`),
  );
  return away.length === 0 ? undefined : pick(away, rng);
}
