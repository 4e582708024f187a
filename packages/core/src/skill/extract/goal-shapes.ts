/**
 * Which goals ask for the same kind of thing. A word of a goal that agents then acted on ("egg", "order 4711") is a
 * place for any such word; a word that names an action ("clean") is not. Goals that are equal but for these places have
 * one shape: "put a hot {1} in {2}.".
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { buildBm25 } from "limbeck-base/base/bm25";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { LONGEST_GOAL, shapeReader } from "limbeck-recorder/selection/fit-shape";
import { verbOf } from "../statistics/passing-verbs.ts";
import { isFunctionWord, jaccard, tokensOf, wordSet } from "./words.ts";

export { escapeForPattern, fillPlaces, fitShape } from "limbeck-recorder/selection/fit-shape";

export interface Shape {
  readonly text: string;
  /** What stood in the places, in their order. */
  readonly values: readonly string[];
}

/** Words of goals that stand for things: agents gave them to their actions. */
export function thingWords(trajectories: readonly Trajectory[]): Set<string> {
  const verbs = new Set(trajectories.flatMap(({ steps }) => steps.map(({ action }) => verbOf(action))));
  const things = new Set<string>();
  const common = commonWords(trajectories);
  for (const { task, steps } of trajectories) {
    const acted = new Set(steps.flatMap(({ action }) => valueWords(action)));
    const inNames = new Set(steps.flatMap(({ action }) => wordsInNames(action)));
    // What is asked for begins with a verb, also where a commit's message or a title repeats it.
    for (const token of tokensOf(task.goal).slice(1)) {
      const word = token.toLowerCase();
      const isActedOn = acted.has(word) || (inNames.has(word) && !common.has(word));
      if (/[\p{L}\p{N}]/u.test(word) && isActedOn && !verbs.has(word) && !isFunctionWord(word)) things.add(word);
    }
  }
  return things;
}

/** Words of many different goals: "test" stands in names of files too, and is no thing for that. */
function commonWords(trajectories: readonly Trajectory[]): Set<string> {
  const goals = [...new Set(trajectories.map(({ task }) => task.goal))].map((goal) => wordSet(goal));
  const counts = new Map<string, number>();
  for (const words of goals) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > 1 && count > goals.length / 4).map(([word]) => word));
}

/** "src/adder.test.ts" speaks of adder. */
function wordsInNames(action: string): string[] {
  return tokensOf(action).flatMap((token) =>
    /[./]/.test(token) ? (token.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) : [],
  );
}

/** Words of an action beside its verb and the names of its arguments. */
function valueWords(action: string): string[] {
  const tokens = tokensOf(action);
  return tokens.flatMap((token, at) => (at === 0 || tokens[at + 1] === "=" ? [] : [token.toLowerCase()]));
}

export function shapeOf(goal: string, things: ReadonlySet<string>): Shape {
  const values: string[] = [];
  const text = goal
    .slice(0, LONGEST_GOAL)
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/[\p{L}\p{N}_]+(?:[-.@:/][\p{L}\p{N}_]+)*/gu, (word) => {
      if (!things.has(word.toLowerCase())) return word;
      const known = values.indexOf(word);
      if (known === -1) values.push(word);
      return `{${known === -1 ? values.length : known + 1}}`;
    });
  return { text, values };
}

export interface ShapeGroup {
  readonly shape: string;
  readonly members: readonly { readonly trajectory: Trajectory; readonly values: readonly string[] }[];
}

/** "put a hot {1} in desk." is an instance of "put a hot {1} in {2}.": no episode came so far as to act on the desk. */
function joinInstances(groups: Map<string, Members>): void {
  const placesOf = (shape: string): number => new Set(shape.match(/\{\d+\}/g)).size;
  // A shape that only one episode has is no kind of goal that others could be instances of.
  const wider = [...groups]
    .filter(([shape, members]) => members.length > 1 && placesOf(shape) > 0)
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([shape]) => ({ shape, places: placesOf(shape), read: shapeReader(shape) }));
  for (const [shape, members] of groups) {
    const places = placesOf(shape);
    const home = wider.find(
      (other) =>
        other.places > places &&
        groups.has(other.shape) &&
        members.every(({ trajectory }) => other.read(trajectory.task.goal) !== undefined),
    );
    if (home === undefined) continue;
    groups.delete(shape);
    for (const { trajectory } of members) {
      groups.get(home.shape)?.push({ trajectory, values: home.read(trajectory.task.goal) ?? [] });
    }
  }
}

/** The members of a group by task, in order of appearance. */
export function membersByTask({ members }: ShapeGroup): ShapeGroup["members"][] {
  return [...groupedBy(members, ({ trajectory }) => trajectory.task.id).values()];
}

type Members = { trajectory: Trajectory; values: readonly string[] }[];

/** Groups of one shape, in order of appearance; lone goals join the shape they share most words with, if it is enough. */
export function groupByShape(trajectories: readonly Trajectory[], likeness = 0.6): ShapeGroup[] {
  const things = thingWords(trajectories);
  const groups = new Map<string, Members>();
  for (const trajectory of trajectories) {
    const { text, values } = shapeOf(trajectory.task.goal, things);
    const members = groups.get(text) ?? [];
    groups.set(text, members);
    members.push({ trajectory, values });
  }
  joinInstances(groups);
  joinAlike(groups, likeness);
  return [...groups].map(([shape, members]) => ({ shape, members }));
}

/** How many of the nearest shapes are compared word by word. */
const NEAREST = 8;

/** Equal words in another order, or other places, are another request; only free text is joined by its words. */
function joinAlike(groups: Map<string, Members>, likeness: number): void {
  const shapes = [...groups.keys()].map((shape) => ({ shape, words: wordSet(shape.replaceAll(/\{\d+\}/g, " ")) }));
  const index = buildBm25(shapes.map(({ words }) => [...words]));
  for (const { shape, words } of shapes) {
    const members = groups.get(shape);
    if (members === undefined || /\{\d+\}/.test(shape)) continue;
    if (new Set(members.map(({ trajectory }) => trajectory.task.id)).size > 1) continue;
    let best: { readonly shape: string; readonly score: number } | undefined;
    for (const { document } of index.search([...words], NEAREST)) {
      const other = shapes[document];
      if (other === undefined || other.shape === shape || !groups.has(other.shape)) continue;
      const score = jaccard(words, other.words);
      if (score >= likeness && score > (best?.score ?? 0)) best = { shape: other.shape, score };
    }
    if (best === undefined) continue;
    groups.get(best.shape)?.push(...members.map(({ trajectory }) => ({ trajectory, values: [] })));
    groups.delete(shape);
  }
}
