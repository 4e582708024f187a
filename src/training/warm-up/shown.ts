/** Who shows the way: the world's demonstrator, or episodes that were played before. */
import { EngineError } from "../../base/index.ts";
import { createStrategy } from "../../rollout/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import { tasksOf } from "../../update/collect.ts";
import { createDemonstratorAgent, rollOut } from "../../walk/index.ts";
import type { OpenedWorld } from "../parts.ts";
import { requireSplit } from "../played-splits.ts";
import { shownBy, type Shown } from "./lesson.ts";
import type { Emit, WarmUpPlan } from "./options.ts";

export interface Showing {
  readonly world: OpenedWorld;
  readonly plan: WarmUpPlan;
  /** Nothing is learnt from these. */
  readonly validation: readonly Task[];
  readonly onEvent: Emit;
  readonly signal: AbortSignal;
}

export interface Collected {
  readonly from: string;
  readonly shown: readonly Shown[];
  /** Tasks that are not learnt from and whose way is known, for measuring what advice does. */
  readonly advisable: () => Promise<readonly Shown[]>;
}

/** Of recorded episodes, those kept for measuring what advice does. */
const KEPT_SHARE = 0.2;

export async function collectShown(showing: Showing): Promise<Collected> {
  const { plan, world, validation, onEvent } = showing;
  if (plan.trajectories !== undefined) return recorded(showing, plan.trajectories);
  const { demonstrator, env } = world;
  if (demonstrator === undefined) {
    throw new EngineError(
      "needs-unmet",
      `The world ${world.name} has no demonstrator, so nobody shows the way. Give it one (demonstrators of defineWorld), recorded good runs (--from RUN), or a larger model that plays (--policy chat or a model folder).`,
      { details: { world: world.name } },
    );
  }
  const split = Object.hasOwn(env.splits, "train") ? "train" : (Object.keys(env.splits)[0] ?? "train");
  // A world with one split alone: what it is measured on comes first and is left out.
  const offset = validation[0]?.split === split ? validation.length : 0;
  requireSplit(env, split, "The warm-up", `Let its "splits" and tasks() give some to show the way in.`);
  const tasks = await tasksOf(env, split, offset, plan.demonstrations);
  if (tasks.length === 0) {
    throw new EngineError(
      "no-tasks",
      `The warm-up has no tasks: the world "${env.id}" has ${env.splits[split]} in its only split "${split}", and the first ${offset} are measured on. Give it more, or measure on fewer: --tasks N.`,
    );
  }
  const shown = await demonstrated(showing, tasks, "Demonstrations");
  onEvent({ kind: "shown", from: demonstrator.id, solved: shown.length, played: tasks.length });
  if (shown.length === 0) {
    throw new EngineError(
      "needs-unmet",
      `The demonstrator ${demonstrator.id} solved none of ${tasks.length} tasks of ${world.name}. Mend it: limbeck rollout --policy ${demonstrator.id} shows what it does.`,
      { details: { world: world.name, tasks: tasks.length } },
    );
  }
  return {
    from: `the demonstrator ${demonstrator.id}`,
    shown,
    advisable: () => demonstrated(showing, validation, "Ways to advise"),
  };
}

async function demonstrated(showing: Showing, tasks: readonly Task[], label: string): Promise<readonly Shown[]> {
  const { world, plan, onEvent, signal } = showing;
  const { trajectories } = await rollOut({
    env: world.env,
    agent: createDemonstratorAgent(world.demonstrator as NonNullable<OpenedWorld["demonstrator"]>),
    strategy: createStrategy("group", { size: 1 }),
    tasks,
    seed: `${plan.seed} demonstrations`,
    signal,
    onProgress: ({ episodes }) => onEvent({ kind: "progress", label, done: episodes, total: tasks.length }),
  });
  return trajectories.filter(succeeded).map(shownBy);
}

function recorded({ world, plan, validation, onEvent }: Showing, given: readonly Trajectory[]): Collected {
  const { env } = world;
  const measured = new Set(validation.map(({ id }) => id));
  const good = given.filter(succeeded);
  const own = good.filter(({ task }) => task.env === env.id && !measured.has(task.id));
  const from = plan.from ?? "recorded episodes";
  if (own.length === 0) {
    throw new EngineError(
      "bad-input",
      `Nobody shows the way: of ${given.length} episodes ${good.length} succeeded, and none of these is of a task of "${env.id}" that is not measured on. Give more of them, or a demonstrator.`,
      { details: { episodes: given.length, succeeded: good.length, world: env.id } },
    );
  }
  onEvent({ kind: "shown", from, solved: own.length, played: given.length });
  // Tasks, not episodes: several episodes of one task would tell about each other.
  const ids = [...new Set(own.map(({ task }) => task.id))];
  const kept = new Set(ids.slice(0, Math.min(validation.length, Math.floor(KEPT_SHARE * ids.length))));
  return {
    from,
    shown: own.filter(({ task }) => !kept.has(task.id)).map(shownBy),
    advisable: () =>
      Promise.resolve([...kept].map((id) => shownBy(own.find(({ task }) => task.id === id) as Trajectory))),
  };
}

/** A whole episode: of a branch the steps before it are elsewhere. */
function succeeded({ success, parent, steps }: Trajectory): boolean {
  return success === true && parent === undefined && steps.length > 0;
}
