import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import {
  buildStateGraph,
  chooseTasks,
  chooseTrajectories,
  measureTaskTopology,
  measureTrajectoryTopology,
} from "./topology.ts";

/** "a b c!" walks the states a, b, c and succeeds; without the mark it fails. "x" in capitals: the step there is refused. */
function walked(id: string, walk: string, task = "t"): Trajectory {
  const states = walk.replace("!", "").split(" ");
  const success = walk.endsWith("!");
  return {
    id,
    task: { id: task, env: "e", seed: 0, goal: "", split: "train" },
    group: task,
    steps: states.map((state, index) => ({
      index,
      observation: "",
      stateKey: state.toLowerCase(),
      action: `${state} to ${states[index + 1] ?? "end"}`.toLowerCase(),
      valid: state === state.toLowerCase(),
      reward: { kind: "scored", value: 0 },
    })),
    streams: [],
    ending: "terminated",
    reward: { kind: "scored", value: success ? 1 : 0 },
    success,
    rewards: [],
    policy: { name: "p" },
  };
}

/**
 *   a -> b -> c -> won          three moves
 *   a -> d -> a -> b -> c -> won    back from a detour
 *   a -> d -> e -> end          the detour to its end
 */
const straight = walked("straight", "a b c!");
const detour = walked("detour", "a d a b c!");
const lost = walked("lost", "a d e");
const group = [straight, detour, lost];

test("equal states of different episodes are one node, and distances run over all moves", () => {
  const graph = buildStateGraph(group);
  // a-b, b-c, c-won, a-d, d-a, d-e, e-end.
  expect(graph.edges).toHaveLength(7);
  expect(["c", "b", "a", "d", "e"].map((state) => graph.distance(`state ${state}`))).toEqual([1, 2, 3, 4, Infinity]);
  expect(graph.edges.find(({ action }) => action === "a to d")?.episodes).toBe(2);
});

test("efficiency, recovery and rarity by hand", () => {
  const graph = buildStateGraph(group);
  // Shared moves: a-b, b-c, c-won by two episodes: (1/2 + 1/2 + 1/2) / 3.
  expect(measureTrajectoryTopology(graph, straight)).toEqual({ recovery: 0, efficiency: 1, rarity: 0.5 });
  // a -> d leads from 3 to 4: one mistake, made good: 1/2. Three moves would have done: 3/5.
  // a-d 1/2, d-a 1, a-b, b-c, c-won 1/2 each: 3 / 5.
  expect(measureTrajectoryTopology(graph, detour)).toEqual({ recovery: 0.5, efficiency: 0.6, rarity: 0.6 });
  expect(measureTrajectoryTopology(graph, lost)).toEqual({ recovery: 0, efficiency: 0, rarity: 0 });
});

test("two mistakes in a row are one, and a refused action is a mistake", () => {
  const twice = walked("twice", "a B b c!");
  // The refused step stays in b: a-b, b-b, b-c, c-won. One mistake: 1/2; 3 of 4 moves.
  const graph = buildStateGraph([straight, twice]);
  expect(measureTrajectoryTopology(graph, twice)).toMatchObject({ recovery: 0.5, efficiency: 0.75 });
  const long = walked("long", "a d e d a b c!");
  // a -> d -> e are two mistakes in a row.
  expect(measureTrajectoryTopology(buildStateGraph([straight, long]), long).recovery).toBe(0.5);
});

test("a task by its error branches and the ways taken", () => {
  // Of 7 moves a-d, d-e and e-end lead away from success. Three different ways of three.
  expect(measureTaskTopology(group)).toEqual({ errorBranches: 3 / 7, heterogeneity: 1 });
  // All the same way, all right.
  expect(measureTaskTopology([straight, walked("again", "a b c!")])).toEqual({ errorBranches: 0, heterogeneity: 0 });
  // Two went one way and one another: H = -(2/3 ln 2/3 + 1/3 ln 1/3) = 0.636514, over ln 3 = 1.098612.
  expect(measureTaskTopology([straight, walked("again", "a b c!"), lost]).heterogeneity).toBeCloseTo(0.57938, 5);
});

test("chooses the successes worth most, and the tasks with most to tell apart", () => {
  // 0 + 1 + 0.5 = 1.5 against 0.5 + 0.6 + 0.6 = 1.7.
  expect([...chooseTrajectories(group, 1)]).toEqual(["detour"]);
  expect([...chooseTrajectories(group, 1, { recovery: 0, rarity: 0 })]).toEqual(["straight"]);
  expect(chooseTrajectories(group, 5)).toEqual(new Set(["straight", "detour"]));
  const dull = [walked("u1", "a b!", "u"), walked("u2", "a b!", "u")];
  expect(chooseTasks([...dull, ...group], 1)).toEqual(["t"]);
  expect(chooseTasks([...dull, ...group], 9)).toEqual(["t", "u"]);
});

test("nobody succeeded: nothing is chosen, and every move is a mistake", () => {
  expect(chooseTrajectories([lost], 3).size).toBe(0);
  expect(measureTaskTopology([lost, walked("l2", "a d e")])).toEqual({ errorBranches: 1, heterogeneity: 0 });
});
