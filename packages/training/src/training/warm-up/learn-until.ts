/** Supervised training that stops where a model succeeds now and then: below there is nothing to learn from, above little left. */
import { join } from "node:path";
import { type Evaluation, figureOf } from "limbeck-core/eval/evaluate";
import { objectives } from "limbeck-core/objective/registry";
import { type SupervisedReport, trainSupervised } from "limbeck-core/objective/supervised";
import { createSchedule } from "limbeck-policy/policy/schedule";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { TrainRow } from "limbeck-policy/policy/objective";

export interface Course {
  readonly model: LocalModel;
  readonly rows: readonly TrainRow[];
  /** Never trained on; where their loss falls no more, further updates help no more. */
  readonly heldOut: readonly TrainRow[];
  /** Success without advice, after so many updates. */
  readonly evaluate: (updates: number) => Promise<Evaluation>;
  /** Ends the training once reached, where the world refuses few of its actions. */
  readonly until: number;
  /** What it should not pass; then it goes back and on in smaller steps. */
  readonly most: number;
  readonly updates: number;
  readonly evaluateEvery: number;
  readonly batchRows: number;
  readonly learningRate: number;
  readonly seed: number;
  /** A folder of its own for weights on the way. */
  readonly scratch: string;
  readonly onUpdate: (report: SupervisedReport) => void;
  readonly signal: AbortSignal;
}

/** already: it was there at the start. stalled: the held-out loss fell no more. updates: no more were allowed. */
export type Stopped = "reached" | "already" | "stalled" | "updates";

export interface Learned {
  readonly reason: Stopped;
  /** Updates behind the weights that are left in the model. */
  readonly updates: number;
}

interface Reached {
  readonly updates: number;
  readonly success: number;
  readonly refused: number;
}

/** Evaluations without a lower held-out loss after which it gives up. */
const PATIENCE = 6;
/** A larger share of refused actions says that it does not know the world's words yet, whatever it reaches. */
const REFUSED = 0.25;
const WARM_UP_UPDATES = 10;

export async function learnUntil(course: Course): Promise<Learned> {
  const { model, until, most, updates, scratch } = course;
  const reach = async (at: number): Promise<Reached> => {
    const evaluation = await course.evaluate(at);
    return { updates: at, success: figureOf(evaluation, "The validation"), refused: evaluation.invalid };
  };
  const suffices = ({ success, refused }: Reached): boolean =>
    success >= until && (!(refused > REFUSED) || success >= most);
  const [last, best] = [join(scratch, "last"), join(scratch, "best")];
  let reached = await reach(0);
  if (suffices(reached)) return { reason: "already", updates: 0 };
  let found = reached;
  let every = course.evaluateEvery;
  let lowest = Number.POSITIVE_INFINITY;
  let waited = 0;
  await model.save(last);
  await model.save(best);
  while (reached.updates < updates && waited < PATIENCE) {
    const next = Math.min(updates, reached.updates + every);
    const loss = await learn(course, reached.updates, next);
    const now = await reach(next);
    if (now.success > most && next - reached.updates > 1) {
      await model.load(last);
      every = Math.ceil((next - reached.updates) / 4);
      continue;
    }
    reached = now;
    if (suffices(now)) return { reason: "reached", updates: next };
    await model.save(last);
    if (now.success >= found.success) {
      found = now;
      await model.save(best);
    }
    waited = loss < lowest ? 0 : waited + 1;
    lowest = Math.min(lowest, loss);
  }
  if (found.updates !== reached.updates) await model.load(best);
  return { reason: waited < PATIENCE ? "updates" : "stalled", updates: found.updates };
}

/** The held-out loss after it. Where nothing is held out it always seems to fall. */
async function learn(course: Course, from: number, steps: number): Promise<number> {
  const { model, rows, heldOut, batchRows, learningRate, seed, onUpdate, signal } = course;
  const loss = await trainSupervised(model, rows, {
    objective: objectives["cross-entropy"].create(),
    schedule: createSchedule({ kind: "constant", learningRate, warmupSteps: WARM_UP_UPDATES }),
    from,
    steps,
    batchRows,
    seed: `${seed} warm-up`,
    clipNorm: 1,
    heldOut,
    onStep: onUpdate,
    signal,
  });
  return loss ?? Number.NEGATIVE_INFINITY;
}
