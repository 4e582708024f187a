import fc from "fast-check";
import { expect, test } from "vitest";
import { forest } from "../../../../test/support/forests.ts";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { ancestry, createForest, episodeSteps, validateForest } from "./forest.ts";
import { trajectoryFromJson, trajectoryToJson } from "./schema.ts";
import { scored } from "./score.ts";
import type { TokenStream, Trajectory } from "./trajectory.ts";

const root = sampleTrajectory("root");
const branch = sampleTrajectory("branch", {
  parent: { trajectory: "root", step: 1 },
  steps: [sampleStep(1), sampleStep(2)],
});
const leaf = sampleTrajectory("leaf", {
  parent: { trajectory: "branch", step: 2 },
  steps: [sampleStep(2), sampleStep(3)],
});

const codes = (...trajectories: Trajectory[]): string[] => validateForest(trajectories).map((fault) => fault.code);

test("every generated forest is valid, survives JSON exactly, and every branch leads to a root", () => {
  fc.assert(
    fc.property(forest, (trajectories) => {
      expect(validateForest(trajectories)).toEqual([]);
      const back = trajectories.map((one) => trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(one)))));
      expect(back).toStrictEqual(trajectories);
      const index = createForest(trajectories);
      for (const one of trajectories) {
        expect(ancestry(index, one.id).at(-1)?.parent).toBeUndefined();
        const steps = episodeSteps(index, one.id);
        expect(steps.map((step) => step.index)).toEqual(steps.map((_, position) => position));
      }
    }),
  );
});

test("a branch of a branch walks to its root and joins each step once", () => {
  const index = createForest([root, branch, leaf]);
  expect(ancestry(index, "leaf").map((one) => one.id)).toEqual(["leaf", "branch", "root"]);
  // Step 0 of the root, step 1 of the branch, steps 2 and 3 of the leaf.
  expect(episodeSteps(index, "leaf")).toEqual([root.steps[0], branch.steps[0], leaf.steps[0], leaf.steps[1]]);
});

test("a branch that left before its parent's own first step drops that parent's steps", () => {
  const early = sampleTrajectory("early", { parent: { trajectory: "branch", step: 1 }, steps: [sampleStep(1)] });
  expect(episodeSteps(createForest([root, branch, early]), "early")).toEqual([root.steps[0], early.steps[0]]);
});

test("missing parents, cycles and doubled ids are named", () => {
  expect(() => ancestry(createForest([branch]), "branch")).toThrow(/No trajectory "root", the parent of "branch"/);
  const self = sampleTrajectory("self", { parent: { trajectory: "self", step: 0 } });
  expect(() => ancestry(createForest([self]), "self")).toThrow(/form a cycle through "self"/);
  expect(() => createForest([root, root])).toThrow(/Two trajectories are named "root"/);
  expect(codes(branch)).toEqual(["parent-missing"]);
  expect(codes(self)).toContain("parent-cycle");
  expect(codes(root, root)).toEqual(["duplicate-id"]);
});

test("each fault of a single trajectory has its code and a message that gives the numbers", () => {
  const stream: TokenStream = { ids: Int32Array.of(1, 2, 3), mask: Uint8Array.of(0, 1, 1) };
  const spans = (...places: [number, number, number][]): Trajectory =>
    sampleTrajectory("t", {
      streams: [stream],
      steps: places.map(([number, start, end], index) => sampleStep(index, { span: { stream: number, start, end } })),
    });
  expect(codes(spans([0, 0, 1], [0, 1, 3]))).toEqual([]);
  expect(codes(spans([0, 0, 4]))).toEqual(["bad-span"]);
  expect(codes(spans([0, 2, 1]))).toEqual(["bad-span"]);
  expect(validateForest([spans([1, 0, 1])])[0]?.message).toBe(
    'Trajectory "t": step 0 names tokens 0 to 1 of stream 1; there are 1 streams.',
  );
  expect(codes(spans([0, 0, 2], [0, 1, 3]))).toEqual(["span-order"]);
  expect(codes(sampleTrajectory("t", { streams: [{ ...stream, logprobs: new Float32Array(2) }] }))).toEqual([
    "stream-length",
  ]);
  const bad = { offsets: Int32Array.of(0, 2, 1, 2), ids: Int32Array.of(5, 6) };
  expect(codes(sampleTrajectory("t", { streams: [{ ...stream, allowed: bad }] }))).toEqual(["allowed-shape"]);
  expect(codes(sampleTrajectory("t", { steps: [sampleStep(0), sampleStep(2)] }))).toEqual(["step-gap"]);
  const reward = { name: "judge", source: "test", score: scored(1), step: 3 };
  expect(codes(sampleTrajectory("t", { rewards: [reward] }))).toEqual(["reward-step"]);
});

test("faults between trajectories: another task of the same id, a parent of another task, an impossible branch point", () => {
  const other = sampleTrajectory("other", { task: { ...root.task, goal: "something else" } });
  expect(codes(root, other)).toEqual(["task-differs"]);
  const stranger = sampleTrajectory("stranger", {
    task: { ...root.task, id: "task-2" },
    parent: { trajectory: "root", step: 0 },
  });
  expect(codes(root, stranger)).toEqual(["parent-task"]);
  const late = sampleTrajectory("late", { parent: { trajectory: "root", step: 4 }, steps: [sampleStep(4)] });
  expect(codes(root, late)).toEqual(["branch-point"]);
  const onward = sampleTrajectory("onward", { parent: { trajectory: "root", step: 3 }, steps: [sampleStep(3)] });
  expect(codes(root, onward)).toEqual([]);
});

test("a chain of 20,000 branches is checked without walking it 20,000 times", () => {
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    sampleTrajectory(`t${index}`, index === 0 ? {} : { parent: { trajectory: `t${index - 1}`, step: 0 } }),
  );
  expect(validateForest(chain.reverse())).toEqual([]);
});

test("a tokens' branch point must lie inside the response", () => {
  const stream: TokenStream = { ids: Int32Array.of(1, 2, 3, 4), mask: Uint8Array.of(0, 0, 1, 1) };
  const spoken = sampleTrajectory("spoken", {
    streams: [stream],
    steps: [sampleStep(0, { span: { stream: 0, start: 2, end: 4 } })],
  });
  const at = (token: number): Trajectory =>
    sampleTrajectory("b", { parent: { trajectory: "spoken", step: 0, token }, steps: [sampleStep(0)] });
  expect(codes(spoken, at(2))).toEqual([]);
  expect(codes(spoken, at(3))).toEqual(["branch-point"]);
});

test("untrusted JSON is refused with the place and every offending field", () => {
  const bad = { ...trajectoryToJson(root), ending: "done", steps: [{ index: -1 }], surprise: 1 };
  expect(() => trajectoryFromJson(bad, "runs.jsonl line 7")).toThrow(/runs\.jsonl line 7 is not a trajectory/);
  expect(() => trajectoryFromJson(bad)).toThrow(/ending/);
  expect(() => trajectoryFromJson({ ...trajectoryToJson(root), reward: { kind: "scored", value: null } })).toThrow(
    /reward/,
  );
});
