/**
 * Any objective on a trainer. The objective is computed here, from log-probabilities that the trainer gives; what it wants
 * of each token, the derivative of the loss by its log-probability, goes back as the advantage of the importance-sampling
 * loss, whose ratio is 1 because the log-probabilities are fresh.
 *
 * Nothing is sent before the step: how a server scales depends on everything between two steps, and the protocol has no
 * way to take a gradient back.
 */
import { EngineError } from "limbeck-base/base/errors";
import { checkOutcome, checkRequest, checkStatistics, checkStepOptions, statisticsOf } from "../objective-check.ts";
import type { TrainRow } from "../objective.ts";
import type { Learner, StepOptions } from "../policy.ts";
import { datumOf, neededTokens } from "./datum.ts";
import {
  betasFor,
  gradientNorm,
  lossScales,
  type DatumSize,
  type IgnoredSetting,
  type TrainingProfile,
} from "./training-probe.ts";
import {
  checkRows,
  forwardRows,
  packWide,
  remoteStatistics,
  wideRow,
  type RowLimits,
  type WideRow,
} from "./remote-scorer.ts";
import type { TrainingClient } from "./training-client.ts";
import type { AdamParams, Datum } from "./wire.ts";

export interface RemoteLearnerOptions {
  readonly limits: RowLimits;
  readonly training: () => TrainingClient;
  readonly profile: () => TrainingProfile;
  readonly onNotice: (message: string) => void;
}

/** A row that waits for the step. */
interface Pending {
  readonly ids: Int32Array;
  readonly length: number;
  readonly logprobs: Float64Array;
  /** d(loss)/d(log-probability) */
  readonly wanted: Float64Array;
  /** The same by that of candidates, at the tokens that have any. */
  readonly wide: WideRow | undefined;
}

export interface RemoteLearner extends Omit<Learner, "save" | "load"> {
  readonly steps: number;
  /** Throws where a step failed half-way: what the weights on the trainer are is not known. */
  checkWhole(): void;
  /** After another checkpoint was loaded. */
  restart(steps: number): void;
}

export function createRemoteLearner({ limits, training, profile, onNotice }: RemoteLearnerOptions): RemoteLearner {
  let pending: Pending[] = [];
  let steps = 0;
  let broken: string | undefined;
  const known = remoteStatistics(limits);
  const told = new Set<IgnoredSetting>();
  const checkWhole = (): void => {
    if (broken !== undefined) throw new EngineError("trainer-broken", broken);
  };
  return {
    checkWhole,
    statistics: known,
    get steps() {
      return steps;
    },
    restart: (reached) => {
      pending = [];
      steps = reached;
      broken = undefined;
    },
    discard: () => {
      pending = [];
    },
    backward: async (rows, objective, { signal } = {}) => {
      checkRequest(known, objective, rows);
      const isWide = objective.needs.includes("candidates");
      const asked = { statistics: isWide ? known : known.slice(0, 1), ...(signal === undefined ? {} : { signal }) };
      checkRows(rows, limits, asked);
      const scored = await forwardRows(training(), rows, asked);
      const live = statisticsOf(scored, asked.statistics);
      checkStatistics(live, rows);
      // Nothing writes into statistics, and of candidates there are millions: what is learned from stands still as well.
      const outcome = objective.compute(live, live, rows);
      const { loss, weights, metrics = {} } = outcome;
      checkOutcome(objective, outcome, live, rows);
      rows.forEach((given, row) => {
        const { ids } = given;
        const wanted = weights.logprob?.[row] ?? new Float64Array(ids.length);
        const wide = wantedWide(given, weights.candidates?.[row]);
        const last = wide?.tokens.at(-1) ?? 0;
        const length = neededTokens(ids.length, (token) => wanted[token] !== 0 || token === last);
        const logprobs = live.logprob?.[row] as Float64Array;
        // A row that wants nothing would still be counted by servers that divide by rows.
        if (length > 0) pending.push({ ids, length, logprobs, wanted, wide });
      });
      return { loss, metrics, tokens: rows.reduce((total, { ids }) => total + ids.length, 0), tokensSaved: 0 };
    },
    step: async (options) => {
      checkStepOptions(options);
      checkWhole();
      const adam = adamOf(options, profile());
      tellIgnored(options, profile(), told, onNotice);
      const model = training();
      const sent = pending;
      pending = [];
      try {
        if (sent.length > 0) {
          await model.forwardBackward(datumsOf(sent, profile()), { loss: "importance_sampling" });
        }
        const metrics = await model.optimStep(adam);
        steps += 1;
        return { step: steps, gradientNorm: gradientNorm(metrics) };
      } catch (error) {
        broken = `Step ${steps + 1} failed half-way (${error instanceof Error ? error.message : String(error)}) and the trainer may hold gradients of it. Load a checkpoint before going on.`;
        throw error;
      }
    },
  };
}

/** Each when it is asked for. */
function* datumsOf(pending: readonly Pending[], { lossScale }: TrainingProfile): Generator<Datum> {
  const sizes = pending.map(({ wanted, length }): DatumSize => {
    const weight = wanted.reduce((total, value) => total + Number(value !== 0), 0);
    return { weight, length: length - 1 };
  });
  const { divisor } = lossScales[lossScale];
  for (const [at, { ids, length, logprobs, wanted, wide }] of pending.entries()) {
    const factor = divisor(sizes[at] as DatumSize, sizes);
    const inputs = {
      weights: wanted.map((value) => Number(value !== 0)),
      logprobs,
      advantages: wanted.map((value) => -value * factor),
    };
    yield datumOf(ids, length, inputs, wide === undefined ? undefined : packWide(wide, "datum"));
  }
}

/** Tokens at which something is wanted of a candidate. */
function wantedWide(row: TrainRow, slopes: Float64Array | undefined): WideRow | undefined {
  const count = row.candidates?.count ?? 0;
  if (slopes === undefined || count === 0) return undefined;
  const wants = (token: number): boolean => {
    for (let at = token * count; at < (token + 1) * count; at += 1) if (slopes[at] !== 0) return true;
    return false;
  };
  return wideRow(row, wants, slopes);
}

/** Every field is sent, because the protocol's defaults are not this engine's. */
function adamOf(options: StepOptions, { held }: TrainingProfile): AdamParams {
  const { learningRate, epsilon = 1e-8, weightDecay = 0, clipNorm } = options;
  return {
    learning_rate: learningRate,
    ...betasFor(held, options),
    eps: epsilon,
    weight_decay: weightDecay,
    grad_clip_norm: clipNorm ?? 0,
  };
}

/** Once for each setting that is given and has no effect. */
function tellIgnored(
  options: StepOptions,
  { ignored }: TrainingProfile,
  told: Set<IgnoredSetting>,
  onNotice: (message: string) => void,
): void {
  for (const name of ignored) {
    if (options[name] === undefined || told.has(name) || (name === "weightDecay" && options[name] === 0)) continue;
    told.add(name);
    onNotice(`The trainer ignores ${name} (asked for: ${options[name]}); its steps are made without it.`);
  }
}
