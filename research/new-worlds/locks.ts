/** A house of locked rooms: the key of one lies in another, and the crown behind the last door. */
import { createRng, scored, type Env, type Episode, type Task } from "limbeck";
import { shuffle } from "limbeck/base";
import { defineWorld, episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

const COLOURS = ["red", "blue", "green", "white", "black", "brown"];
const SPLITS: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000, test: 2_000_000 };
const SIZE = 10_000;
const HALL = "hall";

const env: Env = {
  id: "locks",
  summary: "Find the keys that lead to the crown.",
  maxSteps: 12,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    const first = SPLITS[split];
    if (first === undefined) throw unknownSplit("locks", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const seed = first + offset + at;
      const { crown } = houseOf(seed);
      return {
        id: `locks/${split}/${offset + at}`,
        env: "locks",
        seed,
        goal: `Take the crown in the ${crown} room.`,
        split,
      };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

interface House {
  readonly crown: string;
  /** Where the key of each colour lies. */
  readonly keys: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** A way of two or three keys to the crown, and one more key that leads nowhere. */
function houseOf(seed: number): House {
  const rng = createRng(seed);
  const colours = shuffle([...COLOURS], rng);
  const way = colours.slice(0, 2 + rng.int(2));
  const keys = new Map(way.map((colour, at) => [colour, at === 0 ? HALL : (way[at - 1] as string)]));
  keys.set(colours[4] as string, HALL);
  const notes = [...keys].map(([key, room]) => (room === HALL ? `${key} key: here.` : `${key} key: ${room} room.`));
  return { crown: way.at(-1) as string, keys, notes: shuffle(notes, rng) };
}

interface State {
  readonly said: string;
  readonly room: string;
  readonly carried: readonly string[];
  readonly won: boolean;
  readonly steps: number;
}

function open(task: Task): Episode {
  const { crown, keys, notes } = houseOf(task.seed ?? 0);
  const opening = `${notes.join(" ")} You are in the hall.\nYour task is to: take the crown in the ${crown} room.`;
  const ending = ({ won, steps }: State): Episode["ending"] =>
    won ? "terminated" : steps >= env.maxSteps ? "truncated" : undefined;
  return episodeOf<State>(
    task,
    { said: opening, room: HALL, carried: [], won: false, steps: 0 },
    {
      observation: ({ said }) => said,
      stateKey: ({ room, carried, won }) => JSON.stringify([room, carried.toSorted(), won]),
      ending,
      reward: ({ won }) => scored(won ? 1 : 0),
      success: (state) => (ending(state) === undefined ? null : state.won),
      step: (before, action) => {
        const change = act(before, action);
        const state = { ...before, said: "You cannot.", ...change, steps: before.steps + 1 };
        return { state, valid: change !== undefined, reward: scored(state.won ? 1 : 0) };
      },
    },
  );

  function act({ room, carried }: State, action: string): Partial<State> | undefined {
    const [, verb, thing = ""] = /^(take|go) (\w+)(?: key| room)?$/.exec(action) ?? [];
    if (action === "go hall" && room !== HALL) return { said: "You are in the hall.", room: HALL };
    if (action === "take crown" && room === crown) return { said: "You have the crown.", won: true };
    if (verb === "take" && keys.get(thing) === room && !carried.includes(thing)) {
      return { said: `You have the ${thing} key.`, carried: [...carried, thing] };
    }
    if (verb !== "go" || room !== HALL || !carried.includes(thing)) return undefined;
    return { said: `You are in the ${thing} room.`, room: thing };
  }
}

/** Plans back from the crown by what stands in the opening. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Reads the notes and plans back from the crown.",
  start: () => {
    const places = new Map<string, string>();
    const has = new Set<string>();
    let [crown, room] = ["", HALL];
    return {
      next: ({ observation }) => {
        for (const [, key = "", at = HALL] of observation.matchAll(/(\w+) key: (?:here|(\w+) room)/g))
          places.set(key, at);
        crown = /the crown in the (\w+) room/.exec(observation)?.[1] ?? crown;
        room = /You are in the (\w+)/.exec(observation)?.[1] ?? room;
        has.add(/You have the (\w+) key/.exec(observation)?.[1] ?? "");
        if (room === crown) return "take crown";
        let wanted = crown;
        while (!has.has(wanted) && !has.has(places.get(wanted) ?? "") && places.get(wanted) !== HALL) {
          wanted = places.get(wanted) ?? HALL;
        }
        const place = has.has(wanted) ? wanted : (places.get(wanted) ?? HALL);
        if (!has.has(wanted) && room === place) return `take ${wanted} key`;
        return room === HALL ? `go ${place} room` : "go hall";
      },
    };
  },
};

export default defineWorld({
  id: "locks",
  info: { title: "Locks", meaning: "Finds keys behind doors until the crown is reached." },
  options: {},
  create: () => env,
  demonstrators: { expert },
});
