/** From episodes to rows that carry advantages: the teacher's opinions, the providers' signals, the credit method. */
import type { OptionValue } from "../base/index.ts";
import {
  assignCredit,
  creditBatch,
  getCredit,
  type Credit,
  type CreditResult,
  type TrajectoryBatch,
} from "../credit/index.ts";
import type { Rescored } from "../distill/index.ts";
import type { TrainRow } from "../policy/index.ts";
import type { JsonObject, Trajectory } from "../trajectory/index.ts";
import { providersFor } from "./providers/index.ts";
import type { Cost } from "./providers/provider.ts";
import { runProviders, type ProvidingParts } from "./providers/run-providers.ts";
import { creditSettings } from "../recipe/settings.ts";
import { sureRows } from "./step-share.ts";
import { trainRows, type TrainRowOptions } from "./train-rows.ts";

export interface CreditingOptions extends Omit<TrainRowOptions, "opinions"> {
  /** Whether the teacher's shift is part of the advantage; a divergence takes its place otherwise. Yes unless told. */
  readonly shiftAsAdvantage?: boolean;
  /** Options of the credit method that the recipe sets itself; a method that does not have them is left alone. */
  readonly creditOptions?: Readonly<Record<string, OptionValue>>;
}

export interface CreditRequest extends ProvidingParts {
  readonly credit: string;
  /** What the method kept from the update before. */
  readonly creditState?: JsonObject | null;
}

export interface Credited {
  readonly batch: TrajectoryBatch;
  readonly result: CreditResult;
  readonly rows: readonly TrainRow[];
}

export interface CreditedEpisodes extends Credited {
  /** What providers measured, by `PROVIDER/NAME`, and what they took. */
  readonly provided: Readonly<Record<string, number>>;
  readonly cost: Cost;
  /** For the next update; null where the method keeps nothing. */
  readonly state: JsonObject | null;
}

export async function creditEpisodes(
  request: CreditRequest,
  episodes: readonly Trajectory[],
  rescored: Rescored | undefined,
  { shiftAsAdvantage = true, creditOptions = {}, ...rowOptions }: CreditingOptions,
): Promise<CreditedEpisodes> {
  const method = getCredit(request.credit);
  const options = { ...creditSettings(request.settings), ...carried(request), ...known(method, creditOptions) };
  const plain = withTeacher(creditBatch(episodes), shiftAsAdvantage ? rescored : undefined);
  const ids = providersFor(request.credit, options);
  const { batch, metrics, cost } = await runProviders(ids, plain, episodes, request);
  const assigned = assignCredit(method, batch, options);
  const share = Number(request.settings["stepShare"] ?? 1);
  const sure = await sureRows(batch, episodes, { ...request, share });
  const result = { ...assigned, dropped: [...new Set([...assigned.dropped, ...sure.rows])] };
  const opinions = rescored === undefined ? {} : { opinions: rescored.opinions };
  const rows = trainRows(episodes, batch, result, { ...rowOptions, ...opinions });
  const state = Object.entries(method.carries ?? {}).map(([option, metric]) => [
    option,
    result.metrics[metric] ?? null,
  ]);
  return {
    batch,
    result,
    rows,
    provided: metrics,
    cost: { ...cost, modelTokens: cost.modelTokens + sure.tokens },
    state: state.length === 0 ? null : (Object.fromEntries(state) as JsonObject),
  };
}

/** Options whose values the update before has left; those of the settings begin the run. */
function carried({ credit, creditState }: CreditRequest): Readonly<Record<string, OptionValue>> {
  const names = Object.keys(getCredit(credit).carries ?? {});
  const kept = names.filter((name) => typeof creditState?.[name] === "number");
  return Object.fromEntries(kept.map((name) => [name, creditState?.[name] as number]));
}

function known({ options }: Credit, given: Readonly<Record<string, OptionValue>>): Record<string, OptionValue> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(options, name)));
}

function withTeacher(plain: TrajectoryBatch, rescored: Rescored | undefined): TrajectoryBatch {
  if (rescored === undefined) return plain;
  return {
    ...plain,
    rows: plain.rows.map((row) => {
      const opinion = rescored.opinions.get(row.trajectory)?.get(row.step);
      if (opinion === undefined) return row;
      return {
        ...row,
        logprobs: {
          ...row.logprobs,
          ...(opinion.episode === undefined ? {} : { episodeTeacher: opinion.episode }),
          ...(opinion.step === undefined ? {} : { stepTeacher: opinion.step }),
        },
        useEpisodeSkill: opinion.episode !== undefined,
        useStepSkill: opinion.step !== undefined,
      };
    }),
  };
}
