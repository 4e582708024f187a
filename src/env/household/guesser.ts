/** A weak demonstrator: it searches, takes and puts like the expert, but does not know which appliance does what. */
import { pick, type Rng } from "../../base/index.ts";
import type { Demonstrator } from "../expert.ts";
import { decide, IDLE, type Style } from "./decide.ts";
import { expertStyle } from "./expert.ts";
import { goTo } from "./go-to.ts";
import { readGoal } from "./goal.ts";
import { createMemory, kindName, type Memory } from "./memory.ts";

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
