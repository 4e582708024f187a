/** The expert: looks where such things are kept, forgets nothing, and knows every appliance. */
import { pick, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Episode } from "limbeck-core/env/env";
import { decide, searchList, treatProperly, IDLE, type Style } from "./decide.ts";
import { readGoal, type Goal } from "./goal.ts";
import { createMemory, kindName, goTo, type Memory } from "./memory.ts";

export const expert: Demonstrator = {
  id: "expert",
  summary: "Searches in a sensible order, forgets nothing, knows what every appliance does.",
  start: (task) => {
    const goal = readGoal(task.goal);
    const { memory, notice } = createMemory();
    const style = expertStyle(memory, goal);
    return {
      next: (seen) => {
        notice(seen);
        return decide(memory, goal, style);
      },
    };
  },
};

/**
 * How the expert goes about an errand; a demonstrator of your own may take some of it.
 *
 * @example
 * import { createMemory } from "limbeck-worlds/household/memory";
 * import { readGoal } from "limbeck-worlds/household/goal";
 *
 * const { memory, notice } = createMemory();
 * notice({ action: undefined, observation: "Looking quickly around you, you see a desk 1, and a fridge 1." });
 * console.log(expertStyle(memory, readGoal("put some apple on desk.")).searchNext("apple")); // fridge 1
 */
export function expertStyle(memory: Memory, goal: Goal): Style {
  return {
    searchNext: (kind) => searchSensibly(memory, goal, kind),
    recalls: () => true,
    treat: (held) => (goal.treatment === undefined ? undefined : treatProperly(memory, held, goal.treatment)),
    shineOn: (_held, lamp) => `use ${lamp}`,
  };
}

/** The best receptacle not yet looked into; one of the same kind that is at hand saves the walk. */
function searchSensibly(memory: Memory, goal: Goal, kind: string): string | undefined {
  // No errand brings a thing to where one lies already, so its target is the last place to look for it.
  const settled = (name: string): boolean =>
    kind === goal.thing && goal.treatment === undefined && kindName(name) === goal.target;
  const list = searchList(kind, memory.receptacles);
  const open = [...list.filter((name) => !settled(name)), ...list.filter(settled)].filter(
    (name) => !memory.contents.has(name),
  );
  const [first] = open;
  if (first === undefined) return undefined;
  return open.find((name) => kindName(name) === kindName(first) && memory.atHand.includes(name)) ?? first;
}

// A weak demonstrator: it searches, takes and puts like the expert, but does not know which appliance does what.

/** What looks as if it might clean, heat or cool, to one who does not know. */
const candidates: ReadonlySet<string> = new Set([
  "bathtubbasin",
  "coffeemachine",
  "fridge",
  "microwave",
  "sinkbasin",
  "toilet",
]);

const VERBS = ["clean", "heat", "cool"];

export const guesser: Demonstrator = {
  id: "guesser",
  summary:
    "Searches, takes and puts like the expert, but guesses which appliance does what and whether a lamp needs switching on.",
  start: (task, rng) => {
    const goal = readGoal(task.goal);
    const { memory, notice } = createMemory();
    const beliefs = createBeliefs(memory, rng);
    const style: Style = { ...expertStyle(memory, goal), treat: beliefs.treat, shineOn: beliefs.shineOn };
    return {
      next: (seen) => {
        notice(seen);
        const asked = seen.action;
        // It believes a treated thing that has been put away, or a thing looked at, to be the end of the errand.
        if (goal.treatment !== undefined && asked?.startsWith("move ") === true) beliefs.finish();
        return beliefs.finished() ? IDLE : decide(memory, goal, style);
      },
    };
  },
};

interface Beliefs {
  readonly treat: (held: string) => string | undefined;
  readonly shineOn: (held: string, lamp: string) => string;
  readonly finish: () => void;
  readonly finished: () => boolean;
}

function createBeliefs(memory: Memory, rng: Rng): Beliefs {
  let appliance: string | undefined;
  let tried = false;
  let done = false;
  const treat = (held: string): string | undefined => {
    if (tried) return undefined;
    appliance ??= pick(
      memory.receptacles.filter((name) => candidates.has(kindName(name))),
      rng,
    );
    if (appliance === undefined) return undefined;
    const way = goTo(memory, appliance);
    if (way !== undefined) return way;
    tried = true;
    // Whatever this appliance offers must be what was asked for; with nothing on offer, holding it there must do.
    const offers = VERBS.map((verb) => `${verb} ${held} with ${appliance}`);
    return offers.find((command) => memory.admissible?.includes(command) === true);
  };
  return {
    treat,
    shineOn: (held, lamp) => {
      if (rng.float() < 0.5) return `use ${lamp}`;
      done = true;
      return `examine ${held}`;
    },
    finish: () => {
      done = true;
    },
    finished: () => done,
  };
}

// A weak demonstrator: it knows what to do, but not how to search.

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
 * import { createDemonstratorAgent } from "limbeck/search";
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

// A demonstrator whose hand slips: now and then it does some accepted thing instead, and must find its way back.

/**
 * `share` is the chance of a slip at every step. The demonstrator sees what was really done.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 * import { createDemonstratorAgent } from "limbeck/search";
 *
 * const [expert] = Object.values((await getWorld("household")).demonstrators ?? {});
 * if (expert === undefined) throw new Error("The world has none.");
 * const policy = createDemonstratorAgent(withNoise(expert, 0.2));
 * console.log((await evaluate({ env: "household", policy, tasks: 2 })).meanSteps); // 8.5
 */
export function withNoise(demonstrator: Demonstrator, share: number): Demonstrator {
  if (!(share >= 0 && share <= 1)) {
    throw new EngineError("bad-option", `A noise share of ${share} is not a number from 0 to 1.`);
  }
  return {
    id: `${demonstrator.id} with noise ${share}`,
    summary: `${demonstrator.summary} A slip in a share of ${share} of the steps.`,
    start: (task, rng) => {
      const steady = demonstrator.start(task, rng.split("steady"));
      const slips = rng.split("slips");
      return {
        next: (seen) => {
          const meant = steady.next(seen);
          return slips.float() < share ? (pick(seen.admissible ?? [], slips) ?? meant) : meant;
        },
      };
    },
  };
}

// Lets a demonstrator act until the episode ends.

interface Demonstrated {
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
