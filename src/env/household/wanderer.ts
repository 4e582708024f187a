/** A weak demonstrator: it knows what to do, but not how to search. */
import { pick, type Rng } from "../../base/index.ts";
import type { Demonstrator } from "../expert.ts";
import { decide, IDLE, type Style } from "./decide.ts";
import { readGoal } from "./goal.ts";
import { treatProperly } from "./knowledge.ts";
import { createMemory, type Memory } from "./memory.ts";

export interface WandererOptions {
  /** Chance that it walks to a place without minding whether it has been there. */
  readonly forgets?: number;
  /** Chance that it opens what is shut, each time it stands before it. */
  readonly opens?: number;
  /** Chance, at every place it chooses to search, that it gives the errand up for good. */
  readonly givesUp?: number;
}

/**
 * The weak demonstrator, as weak as you want it.
 *
 * @example
 * import { createDemonstratorAgent } from "limbeck/walk";
 *
 * const policy = createDemonstratorAgent(createWanderer({ givesUp: 1 }));
 * console.log((await evaluate({ env: "household", policy, tasks: 1 })).success); // 0
 */
export function createWanderer(options: WandererOptions = {}): Demonstrator {
  return {
    id: "wanderer",
    summary:
      "Knows what to do, but searches in a random order, forgets what it saw, passes by shut doors and may give up.",
    start: (task, rng) => {
      const goal = readGoal(task.goal);
      const { memory, notice } = createMemory();
      const search = wander(memory, options, rng);
      const style: Style = {
        searchNext: search.next,
        recalls: (receptacle) => memory.atHand.includes(receptacle),
        treat: (held) => (goal.treatment === undefined ? undefined : treatProperly(memory, held, goal.treatment)),
        shineOn: (_held, lamp) => `use ${lamp}`,
      };
      return {
        next: (seen) => {
          notice(seen);
          return search.gaveUp() ? IDLE : decide(memory, goal, style);
        },
      };
    },
  };
}

function wander(
  memory: Memory,
  { forgets = 0.6, opens = 0.5, givesUp = 0.06 }: WandererOptions,
  rng: Rng,
): { readonly next: () => string | undefined; readonly gaveUp: () => boolean } {
  let lost = false;
  let facing: string | undefined;
  const next = (): string | undefined => {
    const shutHere = memory.atHand.find((name) => memory.shut.has(name));
    // One decision per visit: what it did not open on arrival it leaves shut.
    if (shutHere !== undefined && shutHere !== facing) {
      facing = shutHere;
      if (rng.float() < opens) return shutHere;
    }
    lost ||= rng.float() < givesUp;
    if (lost) return undefined;
    const elsewhere = memory.receptacles.filter((name) => !memory.atHand.includes(name));
    const fresh = elsewhere.filter((name) => !memory.contents.has(name));
    facing = undefined;
    return pick(rng.float() < forgets || fresh.length === 0 ? elsewhere : fresh, rng);
  };
  return { next, gaveUp: () => lost };
}
