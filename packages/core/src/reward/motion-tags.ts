/**
 * Motion that a text states, checked against the track it speaks of (after Motion-o).
 *
 *   <motion object="ball" from="0" to="3" direction="left" speed="1.5"/>
 */
import { badOption } from "limbeck-base/base/options";
import { isObject, type Json } from "limbeck-base/base/json";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import { responseText } from "./response.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

/** Counter-clockwise from east, an eighth of a turn each; y grows upwards. */
const COMPASS = ["right", "up-right", "up", "up-left", "left", "down-left", "down", "down-right"];

export const motionTags = defineReward({
  id: "motion-tags",
  info: {
    title: "Motion tags",
    meaning: "Checks the direction and speed that a response states for an object against the object's track.",
    paper: "Motion-o: Trajectory-Grounded Video Reasoning",
    confidence: "inferred",
    formula: [
      "grounded: 1 where the object has a track and from < to lie in it, else the tag is worth 0",
      "direction: 1 where the named one of eight (or still) is that of the displacement;   speed: max(0, 1 - |s - s*| / s*), s* = length of the displacement / (to - from)",
      "tag = (grounding * grounded + direction * right + speed * closeness) / (sum of weights);   R = mean over tags, 0 without any",
    ],
    departures: [
      "Tracks are coordinates in the task's data; nothing is seen in a video.",
      "The form of a tag and the weights are ours; only an abstract was at hand. Changes of scale are not read.",
    ],
  },
  mayUse: { gold: "the tracks as its value, unless the task's data holds them" },
  options: {
    key: option.text("tracks", "where the task's data holds {object: [[x, y], ...]}"),
    grounding: option.number(1, "weight of speaking of something that is there", { least: 0 }),
    direction: option.number(1, "weight of the right direction", { least: 0 }),
    speed: option.number(1, "weight of the right speed", { least: 0 }),
    still: option.number(1e-6, "a shorter way is no motion", { least: 0 }),
  },
  score: (batch, options, givens) => {
    if (options.grounding + options.direction + options.speed === 0) {
      throw badOption("motion-tags", "grounding", 0, "a number above 0 where direction and speed are 0");
    }
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const tracks = tracksOf(trajectory, options.key, givens);
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (tracks === undefined) return [{ score: unscored("nobody gave its tracks") }];
        if (steps.length === 0) return [{ score: unscored("it has no steps") }];
        const tags = steps.flatMap((step) => readTags(responseText(step, true)));
        const values = tags.map((tag) => tagValue(tag, tracks, options));
        return [{ score: scored(values.length === 0 ? 0 : mean(values)), comment: `${values.length} tags` }];
      }),
    };
  },
});

type Track = readonly (readonly [number, number])[];
type Tag = ReadonlyMap<string, string>;

function tagValue(
  tag: Tag,
  tracks: ReadonlyMap<string, Track>,
  options: { readonly grounding: number; readonly direction: number; readonly speed: number; readonly still: number },
): number {
  const track = tracks.get(tag.get("object") ?? "");
  const [from, to] = [Number(tag.get("from") ?? Number.NaN), Number(tag.get("to") ?? Number.NaN)];
  const [start, end] = [track?.[from], track?.[to]];
  if (start === undefined || end === undefined || from >= to) return 0;
  const [x, y] = [end[0] - start[0], end[1] - start[1]];
  const way = Math.hypot(x, y);
  const heading =
    way <= options.still ? "still" : (COMPASS[(Math.round((4 * Math.atan2(y, x)) / Math.PI) + 8) % 8] as string);
  const stated = Number(tag.get("speed") ?? Number.NaN);
  const speed = way / (to - from);
  const closeness = heading === "still" ? Number(stated === 0) : Math.max(0, 1 - Math.abs(stated - speed) / speed);
  const right = tag.get("direction") === heading ? 1 : 0;
  const sum =
    options.grounding + options.direction * right + options.speed * (Number.isFinite(closeness) ? closeness : 0);
  return sum / (options.grounding + options.direction + options.speed);
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

function isTrack(value: Json): boolean {
  if (!Array.isArray(value)) return false;
  return value.every((point: Json) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite));
}
