import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { roseWith } from "./rose.ts";
import type { Strategy } from "./strategy.ts";

async function roll(strategy: Strategy, count = 3) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count }) as Iterable<Task>)];
  return await rollOut({ env, agent, strategy, tasks, seed: 6 });
}

test("the first sample and a chance of 1 begin at the root; with a chance of 0 all others branch", async () => {
  const always = await roll(createStrategy("rose", { size: 4, restart: 1 }));
  expect(always.trajectories.map(({ parent }) => parent)).toEqual(Array.from({ length: 12 }, () => undefined));
  const never = await roll(createStrategy("rose", { size: 4, restart: 0 }));
  expect(never.trajectories.filter(({ parent }) => parent === undefined)).toHaveLength(3);
  const half = await roll(createStrategy("rose", {}), 8);
  const roots = half.trajectories.filter(({ parent }) => parent === undefined).length;
  // 8 first samples and about half of 56 others.
  expect(roots).toBeGreaterThan(20);
  expect(roots).toBeLessThan(52);
});

test("branches leave where the alternatives lead furthest apart: after go, not before it", async () => {
  const { trajectories } = await roll(createStrategy("rose", { size: 6, restart: 0 }));
  const points = trajectories.flatMap(({ parent }) => (parent === undefined ? [] : [parent.token]));
  expect(points).toEqual(Array.from({ length: 15 }, () => 1));
  // No place is used twice.
  const places = trajectories.flatMap(({ parent }) => (parent === undefined ? [] : [JSON.stringify(parent)]));
  expect(new Set(places).size).toBe(places.length);
});

test("a likeness of tokens moves the branches: where east means the same as west, they leave before go", async () => {
  const options = { size: 6, restart: 0, metric: "safe", candidates: 20 } as const;
  // Of the words said, only "wall." (id 12) means something else; it competes with "go" at the start of an answer.
  const likeness = (one: number, other: number): number => (one === 12 || other === 12 ? 0 : 1);
  const { trajectories } = await roll(roseWith(options, likeness), 8);
  const talked = trajectories.filter(({ steps }) => steps.some(({ action }) => action === "wall."));
  expect(talked.length).toBeGreaterThan(0);
  const points = trajectories.flatMap(({ parent }) => (parent === undefined ? [] : [parent.token ?? 0]));
  expect(points.filter((token) => token === 0).length).toBeGreaterThan(0);
  const plain = await roll(roseWith(options), 8);
  expect(plain.trajectories.some(({ parent }) => parent !== undefined && parent.token === undefined)).toBe(false);
});

test("without a likeness of one's own, the policy's embeddings say what means the same", async () => {
  const options = { size: 6, restart: 0 };
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 8 }) as Iterable<Task>)];
  // "wall." (id 12) points elsewhere, all other words the same way, however long their vectors are.
  const embedding = (id: number): Float32Array => (id === 12 ? Float32Array.of(0, 2) : Float32Array.of(1 + id, 0));
  const strategy = createStrategy("rose", options);
  const told = await rollOut({ env, agent: { ...agent, embedding }, strategy, tasks, seed: 6 });
  const by = (one: number, other: number): number => ((one === 12) === (other === 12) ? 1 : 0);
  const given = await roll(roseWith({ ...options, metric: "safe", candidates: 20 }, by), 8);
  const births = ({ trajectories }: typeof given) => trajectories.map(({ parent }) => parent);
  expect(births(told)).toEqual(births(given));
  expect(births(told)).not.toEqual(births(await roll(createStrategy("rose", options), 8)));
});
