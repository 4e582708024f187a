/**
 * Tracks: a log of where something was, and two questions: how it moves, and where it is one to three moments later. The
 * motion is said as a tag, which the reward `motion-tags` checks against the track; the place is the world's own question.
 */
import { createRng, type Env, type Episode, type Task, defineWorld } from "limbeck";
import { unknownSplit, type Demonstrator } from "limbeck/env";
import { openOneReply } from "./one-reply.ts";

/** What moves: always the same, since it is the motion that is asked for. */
const THING = "ball";
/** Counter-clockwise from east, as `motion-tags` names them in its form of numbers. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  right: [1, 0],
  up: [0, 1],
  left: [-1, 0],
  down: [0, -1],
};
/** Eighths of all tracks: none is in two splits. */
const SPLITS: Readonly<Record<string, readonly number[]>> = { train: [0, 1, 2, 3, 4, 5], valid: [6], test: [7] };
const SIZE = 10_000;
/** Numbers of places have one digit. */
const ROOM = 10;
/** Places that are shown. */
const SHOWN = 3;
/** Times at which a place may be asked for. */
const ASKED = [3, 4, 5];

interface Track {
  readonly way: string;
  readonly speed: number;
  /** Up to the one that is asked for, which is the last. */
  readonly places: readonly (readonly [number, number])[];
}

/** All motions at an even speed that stay in the room. */
const MOTIONS = Object.entries(WAYS).flatMap(([way, [x, y]]) =>
  [1, 2, 3].flatMap((speed) =>
    Array.from({ length: ROOM * ROOM }, (_, at) => {
      const placeAt = (time: number) =>
        [(at % ROOM) + time * speed * x, Math.floor(at / ROOM) + time * speed * y] as const;
      const times = ASKED.filter((time) => placeAt(time).every((number) => number >= 0 && number < ROOM));
      return { way, speed, placeAt, times };
    }).filter(({ times }) => times.length > 0),
  ),
);
/** In which eighth each is, drawn once. */
const PARTS = ((rng) => MOTIONS.map(() => rng.int(8)))(createRng(1));

function trackOf(split: string, at: number): Track {
  const parts = SPLITS[split];
  if (parts === undefined) throw unknownSplit("tracks", split, Object.keys(SPLITS));
  const own = MOTIONS.filter((_, index) => parts.includes(PARTS[index] as number));
  const rng = createRng(at);
  const { way, speed, placeAt, times } = own[rng.int(own.length)] as (typeof MOTIONS)[number];
  const asked = times[rng.int(times.length)] as number;
  return { way, speed, places: Array.from({ length: asked + 1 }, (_, time) => placeAt(time)) };
}

const shownOf = ({ places }: Track): string =>
  places
    .slice(0, SHOWN)
    .map(([x, y], at) => `${at}: ${x} ${y}`)
    .join(", ");

const tagOf = ({ way, speed }: Track): string =>
  `<motion object="${THING}" from="0" to="2" direction="${way}" speed="${speed}"/>`;
/** One tag, whose thing, direction and speed are right. */
const isTagOf = ({ way, speed }: Track, said: string): boolean =>
  said.split("<motion").length === 2 &&
  [`object="${THING}"`, `direction="${way}"`, `speed="${speed}"/>`].every((piece) => said.includes(piece));
const nextOf = ({ places }: Track): string => `next ${places.at(-1)?.join(" ")}`;

const env: Env = {
  id: "tracks",
  summary: "Say how something moves, and where it is next.",
  maxSteps: 1,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    if (SPLITS[split] === undefined) throw unknownSplit("tracks", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const seed = offset + at;
      const track = trackOf(split, seed);
      return {
        id: `tracks/${split}/${seed}`,
        env: "tracks",
        seed,
        goal: `The ${THING}: ${shownOf(track)}. Say its motion as a tag, then next and its place at ${track.places.length - 1}.`,
        split,
        // For the reward: the places that are shown. The one that is asked for is not among them.
        data: { tracks: { [THING]: track.places.slice(0, SHOWN) } },
      };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

function open(task: Task): Episode {
  const track = trackOf(task.split ?? "train", task.seed ?? 0);
  return openOneReply(task, (reply) => {
    const next = /next (-?\d{1,4} -?\d{1,4})\s*$/.exec(reply)?.[0].trim();
    const right = next === nextOf(track);
    return {
      right: next === undefined ? undefined : right,
      said: right ? "Right." : "Wrong.",
      parts: { next: Number(right), tag: Number(isTagOf(track, reply)) },
    };
  });
}

const expert: Demonstrator = {
  id: "expert",
  summary: "Says the motion and the next place.",
  start: ({ split, seed }) => {
    const track = trackOf(split, seed);
    return { next: () => `${tagOf(track)} ${nextOf(track)}` };
  },
};

export default defineWorld({
  id: "tracks",
  info: { title: "Tracks", meaning: "Say how something moves, and where it is next." },
  options: {},
  parts: { next: "1 where the next place is right", tag: "1 where there is one tag, and it is right" },
  create: () => env,
  demonstrators: { expert },
});
