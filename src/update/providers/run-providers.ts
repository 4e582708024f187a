/** Runs the providers of a credit method over a batch, and books what they took. */
import { EngineError, resolveOptions, type OptionValue } from "../../base/index.ts";
import type { Need, TrajectoryBatch } from "../../credit/index.ts";
import { withTimeLimit, type Demonstrator, type Env } from "../../env/index.ts";
import type { Dialect, Scorer } from "../../policy/index.ts";
import { createTokenAgent } from "../../rollout/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { providerOf, type ProviderId } from "./index.ts";
import type { Cost, ProviderBench } from "./provider.ts";
import { createReferences } from "./references.ts";
import type { TrainedModel } from "../../training/trained-model.ts";

export interface ProvidingParts {
  readonly update: number;
  readonly seed: number;
  readonly settings: Readonly<Record<string, OptionValue>>;
  readonly model: TrainedModel;
  readonly dialect: Dialect;
  readonly start: Scorer;
  /** Where the episodes came from; some providers play on in it. */
  readonly env?: Env | undefined;
  readonly demonstrator?: Demonstrator | undefined;
  readonly signal: AbortSignal;
}

export interface ProvidedAll {
  readonly batch: TrajectoryBatch;
  readonly metrics: Readonly<Record<string, number>>;
  readonly cost: Cost;
}

export const NO_COST: Cost = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0 };

export async function runProviders(
  ids: readonly ProviderId[],
  given: TrajectoryBatch,
  episodes: readonly Trajectory[],
  parts: ProvidingParts,
): Promise<ProvidedAll> {
  const metrics: Record<string, number> = {};
  let batch = given;
  let cost = NO_COST;
  const bench = createProviderBench(parts, (more) => {
    cost = added(cost, more);
  });
  for (const id of ids) {
    const provider = providerOf(id);
    const own = Object.keys(provider.options).map((name) => [name, parts.settings[`${id}.${name}`]]);
    const options = resolveOptions(provider.options, Object.fromEntries(own), `the provider ${id}`);
    const provided = await provider.provide(batch, episodes, bench, options);
    batch = provided.batch;
    for (const [name, value] of Object.entries(provided.metrics ?? {})) metrics[`${id}/${name}`] = value;
  }
  return { batch, metrics, cost };
}

/** The tools of providers; public so that a provider can be tried alone. */
export function createProviderBench(parts: ProvidingParts, spend: (cost: Partial<Cost>) => void): ProviderBench {
  const { settings, model, dialect, signal, update } = parts;
  const seed = `${parts.seed} update ${update} providers`;
  const world = (need: Need | undefined): Env => {
    if (parts.env !== undefined) return limited(parts.env, settings["maxSteps"]);
    throw new EngineError(
      "needs-unmet",
      `A provider${need === undefined ? "" : ` of ${need}`} plays in the world, and this training has none; give it "env".`,
    );
  };
  let ask: ReturnType<typeof createReferences> | undefined;
  const gamma = settings["credit.gamma"];
  return {
    update,
    seed,
    model,
    dialect,
    start: parts.start,
    settings,
    signal,
    spend,
    gamma: typeof gamma === "number" ? gamma : 1,
    get env() {
      return world(undefined);
    },
    agent: (temperature) =>
      createTokenAgent({ policy: model, dialect, temperature, answerTokens: Number(settings["answerTokens"]) }),
    reference: (task, need) => {
      ask ??= createReferences({ env: world(need), demonstrator: parts.demonstrator, seed, signal, spend });
      return ask(task, need);
    },
    score: async (rows, statistics, scorer = model) =>
      await scorer.score(rows, {
        statistics,
        signal,
        report: ({ tokens }) => spend({ modelTokens: tokens }),
      }),
  };
}

/** The world, cut at the training's own number of steps. */
export function limited(env: Env, steps: OptionValue | undefined): Env {
  return typeof steps === "number" && steps < env.maxSteps ? withTimeLimit(env, steps) : env;
}

export function added(cost: Cost, more: Partial<Cost>): Cost {
  return {
    environmentSteps: cost.environmentSteps + (more.environmentSteps ?? 0),
    sampledTokens: cost.sampledTokens + (more.sampledTokens ?? 0),
    modelTokens: cost.modelTokens + (more.modelTokens ?? 0),
  };
}
