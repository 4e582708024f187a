/** Motion in bins, as Motion-o names them, and what a bin beside the right one is worth. */
import type { Json } from "limbeck-base/base/json";

type Point = readonly [number, number];
/** Left, top, right and bottom, in pixels. */
export type Box = readonly [number, number, number, number];
export type Place = Point | Box;

type Part = "direction" | "speed" | "scale";
type Bins = Readonly<Record<Part, string>>;

/** Counter-clockwise from east, an eighth of a turn each; on a screen y grows downwards. */
const COMPASS = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];
const STILL = "STAT";
const SPEEDS = ["stationary", "slow", "moderate", "fast"];
/** Diagonals of the object a second: below the first it is stationary, below the second slow. */
const SPEED_EDGES = [0.02, 0.1, 0.3];
const SCALES = ["receding", "stable", "approaching"];
const SCALE_EDGE = 0.15;
/** A shorter way is no motion: this share of the diagonal, and so many pixels. */
const LEAST_SHARE = 0.02;
const LEAST_PIXELS = 3;

/** How an object moved between two boxes, so many seconds apart. */
export function motionBins(from: Box, to: Box, seconds: number): Bins {
  const x = (to[0] + to[2] - from[0] - from[2]) / 2;
  const y = (to[1] + to[3] - from[1] - from[3]) / 2;
  const way = Math.hypot(x, y);
  const size = (diagonal(from) + diagonal(to)) / 2;
  const eighth = Math.floor((((Math.atan2(-y, x) * 180) / Math.PI + 360 + 22.5) % 360) / 45);
  const speed = seconds <= 0 || size < 1e-9 ? 0 : way / seconds / size;
  const grown = Math.log(area(to) / area(from));
  return {
    direction: way < Math.max(LEAST_SHARE * size, LEAST_PIXELS) ? STILL : (COMPASS[eighth] as string),
    speed: SPEEDS[SPEED_EDGES.filter((edge) => edge <= speed).length] as string,
    scale: scaleOf(area(from) < 1e-9 || area(to) < 1e-9 ? 0 : grown),
  };
}

/** 1 for the right bin, a half for the one beside it. Nothing is beside standing still. */
export function partCredit(stated: Bins, truth: Bins): Readonly<Record<Part, number>> {
  const turn = apart(COMPASS, stated.direction, truth.direction);
  return {
    direction: stated.direction === truth.direction ? 1 : credit(Math.min(turn, COMPASS.length - turn)),
    speed: stated.speed === truth.speed ? 1 : credit(apart(SPEEDS, stated.speed, truth.speed)),
    scale: stated.scale === truth.scale ? 1 : credit(apart(SCALES, stated.scale, truth.scale)),
  };
}

export function isTrack(value: Json): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (place: Json) => Array.isArray(place) && (place.length === 2 || place.length === 4) && place.every(Number.isFinite),
  );
}

function credit(bins: number): number {
  return bins === 1 ? 0.5 : 0;
}

/** NaN where one is not in the list. */
function apart(order: readonly string[], left: string, right: string): number {
  const [one, other] = [order.indexOf(left), order.indexOf(right)];
  return one < 0 || other < 0 ? Number.NaN : Math.abs(one - other);
}

function scaleOf(grown: number): string {
  return (grown > SCALE_EDGE ? SCALES[2] : grown < -SCALE_EDGE ? SCALES[0] : SCALES[1]) as string;
}

function diagonal(box: Box): number {
  return Math.hypot(box[2] - box[0], box[3] - box[1]);
}

function area(box: Box): number {
  return Math.max(0, box[2] - box[0]) * Math.max(0, box[3] - box[1]);
}
