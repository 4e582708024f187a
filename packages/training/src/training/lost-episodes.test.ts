/** Episodes that were lost, and numbers that are none: the training stops, and what was good before is kept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { EngineError } from "limbeck-base/base/errors";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env } from "limbeck-core/env/env";
import { wrapEnv } from "limbeck-core/env/wrap";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { EvaluationEvent, NoticeEvent, TrainEvent, UpdateEvent } from "./events.ts";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { TrainOptions } from "./options.ts";
import { train } from "./train.ts";

type Options = TrainOptions<RecipeId, string>;

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-lost-"));
  await writeTinyModel(join(root, "tiny"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A corridor whose doors stay shut for the tasks that `isLost` names. */
function corridor(isLost: (task: Task) => boolean): Env {
  const inner = createCorridor({ rooms: 2, maxSteps: 2 });
  return wrapEnv(inner, (episode) => episode, {
    open: (task, options) => {
      if (!isLost(task)) return inner.open(task, options);
      return Promise.reject(new EngineError("server-full", "No place is left."));
    },
  });
}

function plan(dir: string, updates: number, more: Partial<Options & { readonly env: Env }> = {}): Options {
  return smallPlan({
    recipe: "grpo",
    given: { tasks: 2, group: 2, answerTokens: 3, learningRate: 0.01 },
    env: corridor(() => false),
    envName: "corridor",
    model: join(root, "tiny"),
    dir: join(root, dir),
    steps: updates,
    rewardAll: evenTokens,
    ...more,
  });
}

async function weightsOf(dir: string): Promise<Float32Array> {
  const model = await openModel(join(root, dir, "model"), { threads: 1 });
  try {
    return model.weights.flat.slice();
  } finally {
    await model.close();
  }
}

/** The weights after one update that nothing disturbs. */
const one = (): Promise<Float32Array> => (undisturbed ??= train(plan("one", 1)).then(() => weightsOf("one")));
let undisturbed: Promise<Float32Array> | undefined;

/** What a training that stops has said, and why it stopped. */
async function stopped(wanted: Options): Promise<{ readonly events: TrainEvent[]; readonly error: EngineError }> {
  const events: TrainEvent[] = [];
  const onEvent = (event: TrainEvent): void => {
    events.push(event);
    wanted.onEvent?.(event);
  };
  const error: unknown = await train({ ...wanted, onEvent }).then(
    () => new Error("It did not stop."),
    (reason: unknown) => reason,
  );
  return { events, error: error as EngineError };
}

test("an update whose episodes are all lost stops the run; the update before it is kept, and the run goes on from there", async () => {
  let broken = false;
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "update" && event.update === 1) broken = true;
  };
  const env = corridor(() => broken);
  const { events, error } = await stopped(plan("stopped", 2, { env, onEvent }));
  expect(error).toMatchObject({ code: "episodes-lost", details: { seen: 0, lost: 4, causes: { "server-full": 4 } } });
  expect(error.message).toContain("Update 2");
  expect(error.message).toContain("server-full 4");
  expect(error.message).toContain("No place is left.");
  expect(events.filter(({ kind }) => kind === "update")).toHaveLength(1);

  expect(await weightsOf("stopped")).toEqual(await one());

  await train(plan("whole", 2));
  await train(plan("stopped", 2));
  expect(await weightsOf("stopped")).toEqual(await weightsOf("whole"));
});

test("half of the episodes are enough, told with their causes; they alone make the share of successes", async () => {
  const events: TrainEvent[] = [];
  // Tasks alternate: one of the two of every update is lost, and with it two of four episodes.
  const env = corridor(({ seed }) => seed % 2 === 0);
  await train(
    plan("half", 1, {
      env,
      onEvent: (event) => events.push(event),
      rewardAll: (episodes) =>
        Promise.resolve(
          episodes.map((one) => (one.ending === "failed" ? one : { ...one, success: true, reward: scored(1) })),
        ),
    }),
  );
  const notice = events.find((event): event is NoticeEvent => event.kind === "notice");
  expect(notice?.message).toContain("2 lost: server-full 2");
  // Two of two that were seen.
  const update = events.find((event): event is UpdateEvent => event.kind === "update");
  expect([update?.success, update?.metrics["episodes/lost"]]).toEqual([1, 2]);
});

test("with groups of two, one lost of each leaves nothing to compare", async () => {
  const gone = { ending: "failed", success: null, failure: { code: "gone", message: "Gone." } } as const;
  const rewardAll: NonNullable<Options["rewardAll"]> = (episodes) =>
    Promise.resolve(episodes.map((one, at) => (at % 2 === 0 ? { ...one, ...gone, reward: unscored("Gone.") } : one)));
  const { error } = await stopped(plan("pairs", 1, { rewardAll }));
  expect(error).toMatchObject({ code: "episodes-lost", details: { seen: 2, lost: 2, causes: { gone: 2 } } });
});

test("an evaluation of which everything is lost has no figure: the training stops before it begins, and can begin again", async () => {
  let broken = true;
  const env = corridor(({ split }) => broken && split === "valid");
  const report = { tasks: 4, split: "valid" };
  const { events, error } = await stopped(plan("unseen", 1, { env, report, keep: true }));
  expect(error).toMatchObject({ code: "episodes-lost", details: { seen: 0, lost: 4 } });
  expect(events.filter(({ kind }) => kind === "before").map((event) => (event as EvaluationEvent).evaluation)).toEqual([
    expect.objectContaining({ success: null, tasks: 4, failed: 4, causes: { "server-full": 4 } }),
  ]);
  broken = false;
  const end = await train(plan("unseen", 1, { env, report, keep: true }));
  expect(end.before).toMatchObject({ tasks: 4, failed: 0, success: expect.any(Number) as number });
});

test("a last evaluation that is lost is no end; taken up again it is measured, and the weights are the trained ones", async () => {
  let broken = false;
  const env = corridor(({ split }) => broken && split === "valid");
  const report = { tasks: 2, split: "valid" };
  const onEvent = ({ kind }: TrainEvent): void => {
    if (kind === "update") broken = true;
  };
  const { error } = await stopped(plan("late", 1, { env, report, onEvent, keep: true }));
  expect(error.code).toBe("episodes-lost");
  broken = false;
  const end = await train(plan("late", 1, { env, report, keep: true }));
  expect(end).toMatchObject({ update: 1, before: { failed: 0 }, after: { failed: 0, tasks: 2 } });
  expect(await weightsOf("late")).toEqual(await one());
});

test("a partly lost evaluation counts what was seen, and says what was not", async () => {
  const env = corridor(({ id }) => id === "corridor-valid-3");
  const events: TrainEvent[] = [];
  const report = { tasks: 4, split: "valid" };
  await train(plan("partly", 1, { env, report, onEvent: (event) => events.push(event) }));
  const before = events.find((event): event is EvaluationEvent => event.kind === "before")?.evaluation;
  expect(before).toMatchObject({ success: 0, tasks: 4, failed: 1, causes: { "server-full": 1 } });
  // Wilson's upper end of 0 of 3: z^2 / (3 + z^2) = 3.841459 / 6.841459.
  expect(before?.high).toBeCloseTo(0.561497, 5);
});

test("a validation without a figure is told, ends nothing early, and the training goes on", async () => {
  const env = corridor(({ split }) => split === "valid");
  const validation = { every: 1, tasks: 2, split: "valid" };
  const events: TrainEvent[] = [];
  const end = await train(plan("blind", 2, { env, validation, stopAt: 0, onEvent: (event) => events.push(event) }));
  expect(end).toMatchObject({ reason: "finished", update: 2 });
  const shown = events.filter((event): event is EvaluationEvent => event.kind === "validation");
  expect(shown.map(({ evaluation }) => evaluation.success)).toEqual([null]);
});

test("a reward that is no number stops before the step", async () => {
  const rewardAll: NonNullable<Options["rewardAll"]> = (episodes) =>
    Promise.resolve(episodes.map((one, at) => (at === 1 ? { ...one, reward: scored(Number.NaN) } : one)));
  const { events, error } = await stopped(plan("nan", 1, { rewardAll }));
  expect(error.message).toMatch(/1\/corridor-train-\d.*NaN/);
  expect(events.some(({ kind }) => kind === "update")).toBe(false);
  const start = await openModel(join(root, "tiny"), { threads: 1 });
  expect(await weightsOf("nan")).toEqual(start.weights.flat);
  await start.close();
});
