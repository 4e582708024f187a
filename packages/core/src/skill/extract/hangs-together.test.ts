import { expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { hangsTogether, worldVerbs } from "./extract.ts";

function episode(goal: string, actions: readonly string[]): Trajectory {
  const trajectory = played(
    "one",
    true,
    actions.map((action, at) => [`state ${at}`, action]),
  );
  return { ...trajectory, task: { ...trajectory.task, goal } };
}

const none: ReadonlySet<string> = new Set();
const all = ({ steps }: Trajectory): number[] => steps.map(({ index }) => index);

test("moves are tied over the things they share: drawer, key, and the goal's chest", () => {
  const way = episode("unlock the chest", ["open drawer 1", "take key from drawer 1", "unlock chest with key"]);
  expect(hangsTogether(way, all(way), none)).toBe(true);
});

test("a move about something else is not, unless only the others are cited", () => {
  const way = episode("unlock the chest", ["take key", "forward the letters", "unlock chest with key"]);
  expect(hangsTogether(way, all(way), none)).toBe(false);
  expect(hangsTogether(way, [0, 2], none)).toBe(true);
});

test("nor is it where a sentence of the goal asks for it that has nothing to do with the rest", () => {
  const way = episode("unlock the chest. Forward the letters.", [
    "take key",
    "forward letters",
    "unlock chest with key",
  ]);
  expect(hangsTogether(way, all(way), none)).toBe(false);
  const linked = episode("unlock the chest. Forward the letters of the chest.", [
    "forward letters",
    "unlock chest with key",
  ]);
  expect(hangsTogether(linked, all(linked), none)).toBe(true);
});

test("a verb that is used for several things is the world's language; one deed of many agents is one thing", () => {
  const lamps = [episode("light", ["use lamp 1"]), episode("light", ["use stove 2"])];
  expect(worldVerbs(lamps)).toEqual(new Set(["use"]));
  const obeyed = [episode("light", ["forward the letters"]), episode("light", ["forward the letters"])];
  expect(worldVerbs(obeyed)).toEqual(none);
  const calls = ["ann", "bob"].map((who) => episode("serve", [`{"name":"find_user","arguments":{"id":"${who}"}}`]));
  expect(worldVerbs(calls)).toEqual(new Set(["find_user"]));
  const way = episode("unlock the chest", ["use lamp bright"]);
  expect([hangsTogether(way, [0], none), hangsTogether(way, [0], worldVerbs(lamps))]).toEqual([false, true]);
});

test("one word carries nothing, and a goal without things asks for nothing", () => {
  const way = episode("unlock the chest", ["look", "unlock chest"]);
  expect(hangsTogether(way, all(way), none)).toBe(true);
  const game = episode("3 5 7", ["forward the letters"]);
  expect(hangsTogether(game, all(game), none)).toBe(true);
});
