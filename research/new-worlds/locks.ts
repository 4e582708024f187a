/** A house of locked rooms: the key of one lies in another, and the crown behind the last door. */
import { scored, type Env, type Episode, type Rng, type Task, defineWorld } from "limbeck";
import { shuffle } from "../../packages/base/src/base/rng.ts";
import { drawnEnv, episodeOf, type Demonstrator } from "limbeck/env";

const COLOURS = ["red", "blue", "green", "white", "black", "brown"];
const HALL = "hall";

const env: Env = drawnEnv<House>({
  id: "locks",
  summary: "Find the keys that lead to the crown.",
  maxSteps: 8,
  draw: (_dial, rng) => drawHouse(rng),
  key: ({ crown, notes }) => `${crown}: ${notes.join()}`,
  goal: ({ crown }) => `Take the crown in ${crown}.`,
  open,
});

interface House {
  readonly crown: string;
  /** Where the key of each colour lies. */
  readonly keys: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/** A way of one or two keys to the crown, and one more key that leads nowhere. */
function drawHouse(rng: Rng): House {
  const colours = shuffle([...COLOURS], rng);
  const way = colours.slice(0, 1 + rng.int(2));
  const keys = new Map(way.map((colour, at) => [colour, at === 0 ? HALL : (way[at - 1] as string)]));
  keys.set(colours[4] as string, HALL);
  const notes = [...keys].map(([key, room]) => `${key} in ${room}`);
  return { crown: way.at(-1) as string, keys, notes: shuffle(notes, rng) };
}

interface State {
  readonly said: string;
  readonly room: string;
  readonly carried: readonly string[];
  readonly won: boolean;
  readonly steps: number;
}

function open(task: Task, { crown, keys, notes }: House): Episode {
  const opening = `Keys: ${notes.join(", ")}.\nYour task is to: take crown in ${crown}.`;
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
        const state = { ...before, said: "No.", ...change, steps: before.steps + 1 };
        return { state, valid: change !== undefined, reward: scored(state.won ? 1 : 0) };
      },
    },
  );

  function act({ room, carried }: State, action: string): Partial<State> | undefined {
    const [, verb, thing = ""] = /^(take|go) (\w+)$/.exec(action) ?? [];
    if (action === "go hall" && room !== HALL) return { said: "In hall.", room: HALL };
    if (action === "take crown" && room === crown) return { said: "Got crown.", won: true };
    if (verb === "take" && keys.get(thing) === room && !carried.includes(thing)) {
      return { said: `Got ${thing}.`, carried: [...carried, thing] };
    }
    if (verb !== "go" || room !== HALL || !carried.includes(thing)) return undefined;
    return { said: `In ${thing}.`, room: thing };
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
        for (const [, key = "", at = HALL] of observation.matchAll(/(\w+) in (\w+)/g)) places.set(key, at);
        crown = /take crown in (\w+)/.exec(observation)?.[1] ?? crown;
        room = /^In (\w+)/.exec(observation)?.[1] ?? room;
        has.add(/^Got (\w+)/.exec(observation)?.[1] ?? "");
        if (room === crown) return "take crown";
        let wanted = crown;
        while (!has.has(wanted) && !has.has(places.get(wanted) ?? "") && places.get(wanted) !== HALL) {
          wanted = places.get(wanted) ?? HALL;
        }
        const place = has.has(wanted) ? wanted : (places.get(wanted) ?? HALL);
        if (!has.has(wanted) && room === place) return `take ${wanted}`;
        return room === HALL ? `go ${place}` : "go hall";
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
