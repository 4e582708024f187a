/**
 * Tracks: a log of where something was, and two questions: how it moves, and where it is next. The motion is said as a tag,
 * which the reward `motion-tags` checks against the track; the next place is the world's own question.
 */
import { createRng, scored, type Env, type Episode, type Task } from "limbeck";
import { defineWorld, episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

const THINGS = ["ball", "boat", "cart", "crow", "fox", "kite"];
/** Counter-clockwise from east, as `motion-tags` names them. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  right: [1, 0],
  up: [0, 1],
  left: [-1, 0],
  down: [0, -1],
};
/** The first seed of each split: no track is in two of them. */
const SPLITS: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000, test: 2_000_000 };
const SIZE = 10_000;
/** Places that are shown; the one after them is asked for. */
const SHOWN = 3;

interface Track {
  readonly thing: string;
  readonly way: string;
  readonly speed: number;
  readonly places: readonly (readonly [number, number])[];
}

function trackOf(seed: number): Track {
  const rng = createRng(seed);
  const way = Object.keys(WAYS)[rng.int(4)] as string;
  const [x, y] = WAYS[way] as readonly [number, number];
  const speed = 1 + rng.int(3);
  const [left, low] = [10 + rng.int(10), 10 + rng.int(10)];
  const places = [0, 1, 2, 3].map((at) => [left + at * speed * x, low + at * speed * y] as const);
  return { thing: THINGS[rng.int(THINGS.length)] as string, way, speed, places };
}

const shownOf = ({ places }: Track): string =>
  places
    .slice(0, SHOWN)
    .map(([x, y], at) => `${at}: ${x} ${y}`)
    .join(", ");

const tagOf = ({ thing, way, speed }: Track): string =>
  `<motion object="${thing}" from="0" to="2" direction="${way}" speed="${speed}"/>`;
const nextOf = ({ places }: Track): string => `next ${places[SHOWN]?.join(" ")}`;

const env: Env = {
  id: "tracks",
  summary: "Say how something moves, and where it is next.",
  maxSteps: 1,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    const first = SPLITS[split];
    if (first === undefined) throw unknownSplit("tracks", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const seed = first + offset + at;
      const track = trackOf(seed);
      return {
        id: `tracks/${split}/${offset + at}`,
        env: "tracks",
        seed,
        goal: `The ${track.thing}: ${shownOf(track)}. Say its motion as a tag, then next X Y.`,
        split,
        // For the reward: the places that are shown. The one that is asked for is not among them.
        data: { tracks: { [track.thing]: track.places.slice(0, SHOWN) } },
      };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

interface State {
  readonly said: string;
  readonly right: boolean | null;
}

function open(task: Task): Episode {
  const track = trackOf(task.seed ?? 0);
  return episodeOf<State>(
    task,
    { said: task.goal, right: null },
    {
      observation: ({ said }) => said,
      stateKey: ({ said }) => said,
      ending: ({ right }) => (right === null ? undefined : "terminated"),
      reward: ({ right }) => scored(right === true ? 1 : 0),
      success: ({ right }) => right,
      step: (_, action) => {
        const next = /next (-?\d{1,4} -?\d{1,4})\s*$/.exec(action)?.[0].trim();
        const right = next === nextOf(track);
        const parts = { next: Number(right) };
        return {
          state: { said: right ? "Right." : "Wrong.", right },
          valid: next !== undefined,
          reward: scored(right ? 1 : 0),
          info: { parts },
        };
      },
    },
  );
}

const expert: Demonstrator = {
  id: "expert",
  summary: "Says the motion and the next place.",
  start: ({ seed }) => {
    const track = trackOf(seed ?? 0);
    return { next: () => `${tagOf(track)} ${nextOf(track)}` };
  },
};

export default defineWorld({
  id: "tracks",
  info: { title: "Tracks", meaning: "Say how something moves, and where it is next." },
  options: {},
  parts: { next: "1 where the next place is right" },
  create: () => env,
  demonstrators: { expert },
});
