/**
 * Motion that a text states, checked against the track it speaks of (Motion-o).
 *
 *   <obj>ball</obj><box>[0,0,8,8]</box>at<t>0.0</t>s … <motion obj="ball" dir="W" speed="slow" scale="stable"/>
 *
 * or, with form numbers, <motion object="ball" from="0" to="3" direction="left" speed="1.5"/>
 */
import { badOption } from "limbeck-base/base/options";
import { isObject, parseJson, type Json } from "limbeck-base/base/json";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { isTrack, motionBins, partCredit, type Box, type Place } from "./motion-bins.ts";
import { readEpisodes } from "./read-scores.ts";
import { responseText } from "./response.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

/** Counter-clockwise from east, an eighth of a turn each; y grows upwards. */
const WAYS = ["right", "up-right", "up", "up-left", "left", "down-left", "down", "down-right"];
/** Seconds between what is claimed and the nearest frame. */
const NEAR = 2;
/** What is left where two claims match, but no object is claimed in two frames. */
const NAMED = 0.1;

const options = {
  form: option.choice("bins", ["bins", "numbers"], "tags with names of bins, or with numbers of our own"),
  key: option.text(
    "tracks",
    "where the task's data holds {object: [[x0, y0, x1, y1], ...]}; numbers: or [[x, y], ...]",
  ),
  fps: option.number(30, "bins: places of a track per second", { above: 0 }),
  direction: option.number(0.4, "weight of the right direction", { least: 0 }),
  speed: option.number(0.3, "weight of the right speed", { least: 0 }),
  scale: option.number(0.3, "bins: weight of coming nearer or going away", { least: 0 }),
  grounding: option.number(0, "numbers: weight of speaking of something that is there", { least: 0 }),
  still: option.number(1e-6, "numbers: a shorter way is no motion", { least: 0 }),
};

type Options = OptionValues<typeof options>;

export const motionTags = defineReward({
  id: "motion-tags",
  info: {
    title: "Motion tags",
    meaning: "Checks the direction and speed that a response states for an object against the object's track.",
    paper: "Motion-o: Trajectory-Grounded Video Reasoning",
    confidence: "code",
    source:
      "ostadabbas/Motion-o @ abd8a8a0; training/motion_reward_v3.py: motion_trajectory_reward, direction_score, ordinal_score, compute_gt_*",
    formula: [
      "object: direction * d + speed * s + scale * c, each 1 for the right bin and 0.5 for its neighbour; truth: from its first to its last claimed place, the nearest frame within 2 s",
      "direction: one of eight, or STAT below max(2% of its diagonal, 3);   speed: 0.02, 0.10 and 0.30 diagonals a second part stationary, slow, moderate and fast;   scale: |log of the areas' quotient| above 0.15 is approaching or receding",
      "R = mean over objects with claims in two frames; 0.1 where claims match but no object has two, 0 without two claims",
      "numbers: tag = (grounding * [the object has a track and from < to lie in it, else 0] + direction * right + speed * max(0, 1 - |s - s*| / s*)) / (sum of weights);   R = mean over tags",
    ],
    departures: [
      "An unfinished mention (an object without a box or time, a time without its s) spoils the claim after it in published code, whose pattern runs on; here it is passed over (two right claims with a bare mention of the object between them: 0 there, 1 here).",
      "Tracks are boxes in the task's data, in pixels, fps of them a second; published code has boxes of a few key frames with their own times, in shares of the picture. Nothing is seen in a video.",
      "Where its data holds bins made beforehand from all frames (gt_motion: each move votes for a direction, speed is that of the whole way) published code compares with those. Here bins are always those of the first and the last claimed place, which is its fallback.",
      "Claims and tags are read anywhere in the response, of any task; published code reads between think tags alone and gives 0 outside three kinds of tasks. A tag without its closing slash, or with names in capitals, counts too; names beyond 80 characters and claims of more than eight boxes do not. A stated box of other than numbers costs the published reward the whole response; here any list will do.",
      "An object without a whole tag gets 0; published code gives an older tag of free words 0.15 and 0.4 times its direction.",
      "The reward that compares with an answer to the video without motion (motion_grounding_reward) is not here, nor are the seven others of the published runs (answer, times, places, format).",
      "The form numbers is ours.",
    ],
  },
  mayUse: { gold: "the tracks as its value, unless the task's data holds them" },
  options,
  score: (batch, own, givens) => {
    check(own);
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const tracks = tracksOf(trajectory, own.key, givens);
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (tracks === undefined) return [{ score: unscored("nobody gave its tracks") }];
        if (steps.length === 0) return [{ score: unscored("it has no steps") }];
        const texts = steps.map((step) => responseText(step, true));
        if (own.form === "numbers") {
          const values = texts.flatMap(readTags).map((tag) => tagValue(tag, tracks, own));
          return [{ score: scored(values.length === 0 ? 0 : mean(values)), comment: `${values.length} tags` }];
        }
        const boxes = boxesOf(tracks);
        if (boxes === undefined) return [{ score: unscored("its tracks are points; bins need boxes") }];
        return [{ score: scored(binsValue(texts.join("\n"), boxes, own)) }];
      }),
    };
  },
});

function check({ form, grounding, direction, speed, scale }: Options): void {
  if (form === "numbers" && grounding + direction + speed === 0) {
    throw badOption("motion-tags", "grounding", 0, "a number above 0 where direction and speed are 0");
  }
  if (form === "bins" && direction + speed + scale === 0) {
    throw badOption("motion-tags", "direction", 0, "a number above 0 where speed and scale are 0");
  }
}

type Track = readonly Place[];
type Tag = ReadonlyMap<string, string>;

// The published form.

interface Claim {
  readonly object: string;
  readonly time: number;
}

function binsValue(text: string, boxes: ReadonlyMap<string, readonly Box[]>, options: Options): number {
  const frames = Math.max(0, ...[...boxes.values()].map(({ length }) => length));
  const found = new Map<string, { readonly time: number; readonly frame: number }[]>();
  let matched = 0;
  for (const { object, time } of readClaims(text)) {
    const frame = nearestFrame(time, frames, options.fps);
    if (frame === undefined || boxes.get(object)?.[frame] === undefined) continue;
    found.set(object, [...(found.get(object) ?? []), { time, frame }]);
    matched += 1;
  }
  const tags = new Map(
    readTags(text).flatMap((tag) => (isWhole(tag) ? [[plainName(tag.get("obj")), tag] as const] : [])),
  );
  const values = [...found].flatMap(([object, claims]) => {
    if (new Set(claims.map(({ frame }) => frame)).size < 2) return [];
    const [first, last] = ends(claims);
    const track = boxes.get(object) as readonly Box[];
    const truth = motionBins(track[first] as Box, track[last] as Box, (last - first) / options.fps);
    const tag = tags.get(object);
    if (tag === undefined) return [0];
    const { direction, speed, scale } = partCredit(
      { direction: tag.get("dir") ?? "", speed: tag.get("speed") ?? "", scale: tag.get("scale") ?? "" },
      truth,
    );
    const sum = options.direction * direction + options.speed * speed + options.scale * scale;
    return [sum / (options.direction + options.speed + options.scale)];
  });
  if (values.length > 0) return mean(values);
  return matched >= 2 ? NAMED : 0;
}

/** Frames of the earliest and of the latest claim. */
function ends(claims: readonly { readonly time: number; readonly frame: number }[]): [number, number] {
  const inTime = claims.toSorted((left, right) => left.time - right.time);
  return [inTime[0]?.frame ?? 0, inTime.at(-1)?.frame ?? 0];
}

function nearestFrame(time: number, frames: number, fps: number): number | undefined {
  const below = Math.min(frames - 1, Math.max(0, Math.floor(time * fps)));
  const away = (frame: number): number => Math.abs(frame / fps - time);
  const frame = below + 1 < frames && away(below + 1) < away(below) ? below + 1 : below;
  return frames > 0 && away(frame) < NEAR ? frame : undefined;
}

/** Objects that are said to be somewhere at a time. Their boxes must be lists; where they are does not count. */
function readClaims(text: string): Claim[] {
  const pattern = /<obj>([^<>]{0,80})<\/obj>((?:<box>\[[^<>]{0,120}\]<\/box>){1,8})at<t>([^<>]{0,24})<\/t>s/g;
  return [...text.matchAll(pattern)].flatMap(([, object, boxes = "", time = ""]) => {
    const lists = boxes.match(/\[[^<>]*?\]/g) ?? [];
    const seconds = time.trim() === "" ? Number.NaN : Number(time);
    if (!Number.isFinite(seconds) || lists.some((list) => parseJson(list) === undefined)) return [];
    return [{ object: plainName(object), time: seconds }];
  });
}

function isWhole(tag: Tag): boolean {
  return ["obj", "dir", "speed", "scale"].every((name) => tag.has(name));
}

function plainName(name = ""): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim();
}

/** By plain names; of two with the same one the first. Undefined where a place is a point. */
function boxesOf(tracks: ReadonlyMap<string, Track>): ReadonlyMap<string, readonly Box[]> | undefined {
  const isBox = (place: Place): place is Box => place.length === 4;
  const named = [...tracks].toReversed().map(([name, track]) => [plainName(name), track] as const);
  return named.every((entry): entry is [string, readonly Box[]] => entry[1].every(isBox)) ? new Map(named) : undefined;
}

// The form numbers.

function tagValue(tag: Tag, tracks: ReadonlyMap<string, Track>, options: Options): number {
  const track = tracks.get(tag.get("object") ?? "");
  const [from, to] = [Number(tag.get("from") ?? Number.NaN), Number(tag.get("to") ?? Number.NaN)];
  const [start, end] = [track?.[from], track?.[to]];
  if (start === undefined || end === undefined || from >= to) return 0;
  const [before, after] = [centre(start), centre(end)];
  const [x, y] = [after[0] - before[0], after[1] - before[1]];
  const way = Math.hypot(x, y);
  const heading =
    way <= options.still ? "still" : (WAYS[(Math.round((4 * Math.atan2(y, x)) / Math.PI) + 8) % 8] as string);
  const stated = Number(tag.get("speed") ?? Number.NaN);
  const speed = way / (to - from);
  const closeness = heading === "still" ? Number(stated === 0) : Math.max(0, 1 - Math.abs(stated - speed) / speed);
  const right = tag.get("direction") === heading ? 1 : 0;
  const sum =
    options.grounding + options.direction * right + options.speed * (Number.isFinite(closeness) ? closeness : 0);
  return sum / (options.grounding + options.direction + options.speed);
}

function centre(place: Place): readonly [number, number] {
  return place.length === 2 ? place : [(place[0] + place[2]) / 2, (place[1] + place[3]) / 2];
}

function readTags(text: string): Tag[] {
  const tags = text.match(/<motion\s[^<>]{0,400}?\/?>/gi) ?? [];
  return tags.map((tag) => {
    return new Map(
      [...tag.matchAll(/([a-z]{1,20})="([^"]{0,80})"/gi)].map((pair) => [(pair[1] ?? "").toLowerCase(), pair[2] ?? ""]),
    );
  });
}

function tracksOf(trajectory: Trajectory, key: string, givens: Givens): ReadonlyMap<string, Track> | undefined {
  const data = trajectory.task.data ?? {};
  const own: Json | undefined = givens.gold?.(trajectory)?.value ?? (Object.hasOwn(data, key) ? data[key] : undefined);
  if (!isObject(own)) return undefined;
  const tracks = Object.entries(own);
  return tracks.every((entry): entry is [string, Track & Json] => isTrack(entry[1])) ? new Map(tracks) : undefined;
}
