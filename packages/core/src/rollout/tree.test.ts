import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { checkStrategy } from "./strategy.contract.ts";

async function grow(options: Readonly<Record<string, unknown>>, count = 4) {
  const { env, agent, counts } = createCheckGround();
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  const result = await rollOut({ env, agent, strategy: createStrategy("tree", options), tasks, seed: 2 });
  return { ...result, counts };
}

const leaves = (trajectories: readonly Trajectory[], task: number): Trajectory[] =>
  trajectories.filter(({ task: { id } }) => id === `corridor-train-${task}`);

test("every: two continuations a step double the paths until the nodes are spent; prefixes are stored once", async () => {
  const { trajectories, spent, counts } = await grow({ when: "every", nodes: 8 });
  const forest = createForest(trajectories);
  for (const task of [0, 1, 2, 3]) {
    const own = leaves(trajectories, task);
    expect(own).toHaveLength(8);
    // 1 -> 2 before step 0, 2 -> 4 before step 1, 4 -> 8 before step 2; no episode of three rooms is over before that.
    const births = own.flatMap(({ parent }) => (parent === undefined ? [] : [parent.step]));
    expect(births.toSorted((left, right) => left - right)).toEqual([0, 1, 1, 2, 2, 2, 2]);
  }
  const stored = trajectories.reduce((total, { steps }) => total + steps.length, 0);
  const walked = trajectories.reduce((total, { id }) => total + episodeSteps(forest, id).length, 0);
  expect(stored).toBe(counts.envSteps);
  expect(stored).toBeLessThan(walked);
  expect(spent.sampledTokens).toBe(counts.sampledTokens);
});

test("depth: branches at multiples of a depth only", async () => {
  const { trajectories } = await grow({ when: "depth", depth: 3, nodes: 20, branches: 3 });
  const births = trajectories.flatMap(({ parent }) => (parent === undefined ? [] : [parent.step]));
  expect(births.length).toBeGreaterThan(4);
  expect(births.every((step) => step > 0 && step % 3 === 0)).toBe(true);
});

test("entropy: branches before answers with an uncertain token, and nowhere above the threshold", async () => {
  // After "go" the table says 0.65, 0.3 and 0.05: H = 0.280012 + 0.361192 + 0.149787 = 0.790991. Before it 0.325083.
  const certain = await grow({ threshold: 0.8 });
  expect(certain.trajectories).toHaveLength(4);
  const { trajectories } = await grow({ threshold: 0.79, nodes: 6 });
  const forest = createForest(trajectories);
  const branches = trajectories.filter(({ parent }) => parent !== undefined);
  expect(branches.length).toBeGreaterThan(8);
  for (const { parent, steps } of branches) {
    const replaced = episodeSteps(forest, parent?.trajectory as string).find(({ index }) => index === parent?.step);
    // An answer of nonsense ("wall.") never passed the uncertain place.
    expect(replaced?.action.startsWith("go")).toBe(true);
    expect(steps[0]?.stateKey).toBe(replaced?.stateKey);
  }
});

test("inside: the branch keeps the answer up to its least certain token", async () => {
  const { trajectories } = await grow({ threshold: 0.79, nodes: 6, inside: true });
  const branches = trajectories.filter(({ parent }) => parent !== undefined);
  expect(branches.length).toBeGreaterThan(8);
  // "go" is kept, what follows is drawn anew.
  expect(branches.every(({ parent, steps }) => parent?.token === 1 && steps[0]?.action.startsWith("go"))).toBe(true);
});

test("disagreement: one continuation of each meaning goes on, the others are stopped after one step", async () => {
  const { trajectories } = await grow({ when: "disagreement", branches: 4, nodes: 6 });
  const branches = trajectories.filter(({ parent }) => parent !== undefined);
  const stopped = branches.filter(({ info }) => info?.["stopped"] === "same meaning");
  expect(stopped.length).toBeGreaterThan(5);
  expect(branches.length - stopped.length).toBeGreaterThan(3);
  const forest = createForest(trajectories);
  // What was over with its first step could not be stopped any more.
  for (const branch of branches.filter((one) => !stopped.includes(one) && one.steps.length > 1)) {
    const { parent } = branch;
    const trunk = episodeSteps(forest, parent?.trajectory as string).find(({ index }) => index === parent?.step);
    expect(branch.steps[0]?.action).not.toBe(trunk?.action);
  }
  for (const task of [0, 1, 2, 3]) {
    expect(leaves(trajectories, task).filter((one) => !stopped.includes(one)).length).toBeLessThanOrEqual(6);
  }
});

test("the token budget of a tree is never passed, and several roots share it", async () => {
  for (const tokens of [3, 20, 60]) {
    const { trajectories } = await grow({ when: "every", nodes: 16, roots: 2, tokens });
    for (const task of [0, 1, 2, 3]) {
      const said = leaves(trajectories, task).flatMap(({ streams }) => streams.map(({ mask }) => mask));
      const total = said.reduce((sum, mask) => sum + mask.reduce((own, on) => own + on, 0), 0);
      expect(total).toBeLessThanOrEqual(tokens);
    }
  }
});

test("an agent without tokens has no entropy, but can be branched by depth", async () => {
  const env = createCorridor();
  const [task] = [...(env.tasks("train") as Iterable<Task>)] as [Task];
  const agent = createDemonstratorAgent({
    id: "eastward",
    summary: "Goes east.",
    start: () => ({ next: () => "go east" }),
  });
  const roll = (options: Readonly<Record<string, unknown>>) =>
    rollOut({ env, agent, strategy: createStrategy("tree", options), tasks: [task], seed: 0 });
  await expect(roll({})).rejects.toMatchObject({ code: "needs-unmet" });
  const { trajectories } = await roll({ when: "depth", depth: 2 });
  expect(trajectories.map(({ steps }) => steps.length)).toEqual([3, 1]);
});

test("looking for disagreement keeps the contract of strategies", async () => {
  const options = { when: "disagreement", branches: 3 };
  await expect(checkStrategy({ name: "tree", create: () => createStrategy("tree", options) })).resolves.toBeUndefined();
});

test("temperature by depth: hot at the first step, half as far from 1 at each further one, recorded with every token", async () => {
  const { trajectories } = await grow({ when: "every", nodes: 8, temperature: 3, cooling: 0.5 });
  // 1 + 2 * 0.5^d: 3, 2, 1.5, 1.25, …
  const heats = trajectories.flatMap(({ steps, streams }) =>
    steps.map(({ index, span }) => ({ index, found: streams[span?.stream ?? 0]?.temperatures?.[span?.start ?? 0] })),
  );
  expect(new Set(heats.map(({ index }) => index)).size).toBeGreaterThan(3);
  for (const { index, found } of heats) expect(found).toBeCloseTo(1 + 2 * 0.5 ** index, 6);
  const roots = trajectories.filter(({ parent }) => parent === undefined);
  expect(roots.map(({ info }) => info?.["heated"])).toEqual([3, 3, 3, 3]);
  const own = (await grow({ when: "every", nodes: 8 })).trajectories;
  expect(new Set(own.flatMap(({ streams }) => [...(streams[0]?.temperatures ?? [])])).has(3)).toBe(false);
});

test("a hot first step is drawn from the flatter distribution, and later steps are not", async () => {
  // "wall." has 0.1 beside "go" with 0.9; at temperature 50 it is 0.1^0.02 / (0.1^0.02 + 0.9^0.02) = 0.489.
  const { trajectories } = await grow({ when: "every", roots: 200, nodes: 200, temperature: 50, cooling: 0 });
  const nonsense = (at: (index: number) => boolean): number => {
    const said = trajectories.flatMap(({ steps }) => steps.filter(({ index }) => at(index)));
    return said.filter(({ action }) => action === "wall.").length / said.length;
  };
  // 800 first steps: a deviation is 0.018. Of the later steps there are thousands.
  expect(Math.abs(nonsense((index) => index === 0) - 0.489)).toBeLessThan(0.1);
  expect(Math.abs(nonsense((index) => index > 0) - 0.1)).toBeLessThan(0.04);
});
