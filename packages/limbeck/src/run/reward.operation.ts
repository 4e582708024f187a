/** `limbeck reward train` and `limbeck reward judge`: scorers, rewards of tokens, and judges. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { requireNew } from "limbeck-base/base/files";
import { neededPath } from "limbeck-base/base/given-file";
import { input } from "limbeck-base/base/input";
import { defineOperation, readSettings, type Context, type Input } from "limbeck-base/base/operation";
import { lookUp } from "limbeck-base/base/registry";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";
import type { Judging } from "limbeck-training/training/judge/judging";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { seedInput } from "limbeck-store/store/run.inputs";

const inputs = {
  perToken: input.flag("With autoregressive: compare means over tokens, so that length does not count"),
  run: input.text("ID", "Run of the store to learn from"),
  heldOut: input.text("ID", "Run that it is judged by. Default: a fifth of the tasks of --run"),
  model: input.path("DIR", "Model that played the run: a folder, or the name of a bundled one"),
  out: input.path("DIR", "Folder for the scorer, or for the judge"),
  labels: input.text(
    "NAME",
    "What it foretells: outcome, outlook, continuations, replay, or a stored reward of steps",
    { default: "outcome" },
  ),
  likelihood: input.flag("Also look at how likely the model finds its own words; scoring then reads twice"),
  balance: input.count("N", "Failures to learn from for each success. Default: all"),
  env: input.text("ID", "World of the run, for --labels replay and outlook"),
  envOptions: input.values("KEY=VALUE", "An option of the world", { flag: "env-set" }),
  loss: input.choice("NAME", "bce, mse or pairs", ["bce", "mse", "pairs"], { default: "bce" }),
  kind: input.choice(
    "NAME",
    "adapter, which reads episodes again; states, a head on what sampling has computed; autoregressive, rewards of tokens",
    ["adapter", "states", "autoregressive"],
    { default: "adapter" },
  ),
  epochs: input.count(
    "N",
    "Times to see every episode. Default: 3; with --kind states 3 to 100, by how many there are",
  ),
  batch: input.count("ROWS", "Rows per update. Default: 32"),
  rank: input.count("N", "Rank of the adapter", { least: 0, default: 8 }),
  learningRate: input.number("X", "Learning rate", { least: 0, most: 1, default: 0.003 }),
  seconds: input.count("N", "Time for learning; the best until then is kept", { default: 600 }),
  seed: seedInput("trainings"),
  threads: engineInputs.threads,
};

/**
 * A scorer of episodes, or a reward of tokens, from a run of the store.
 *
 * @example
 * await trainReward({ out: "scorer" }).catch((error: Error) => console.log(error.message)); // limbeck reward train needs --run ID, a run of the store to learn from.
 */
export const trainReward = defineOperation({
  name: "reward train",
  group: "learn",
  summary: "train a scorer or a reward of tokens",
  examples: [],
  input: inputs,
  events: {
    epoch: {
      epoch: "which",
      loss: "mean loss of learning",
      validLoss: "loss on tasks that tell when to stop",
    },
    end: {
      out: "folder of the scorer",
      card: "the card, with measures on tasks that were held out; of autoregressive: pairs, and the share of held-out ones that it orders rightly, before and after",
    },
  },
  natives: () => ["duckdb", "onnxruntime"],
  run: async ({ run, heldOut, kind, loss, ...given }, context) => {
    if (run === undefined) throw usageError("limbeck reward train needs --run ID, a run of the store to learn from.");
    const { bundledAddress, bundledNames } = await import("limbeck-policy/policy/local/bundled-model");
    const out = neededPath(context, given.out, '"limbeck reward train" needs --out DIR, a folder for the scorer.');
    await requireNew(out, given.out ?? out, "another --out");
    const model = bundledNames.some((name) => name === given.model)
      ? bundledAddress(given.model ?? "")
      : neededPath(context, given.model, '"limbeck reward train" needs --model DIR, the model that played the run.');
    const { recordedEpisodes } = await import("./episodes.ts");
    const recorded = await recordedEpisodes(context.store, [run]);
    const { perToken, labels, likelihood, balance, env, envOptions, seconds, ...learning } = given;
    const { signal, now } = context;
    const shared = { ...withoutUndefined(learning), model, out, signal };
    const card =
      kind === "autoregressive"
        ? await (
            await import("limbeck-training/training/scorer/token-reward")
          ).trainTokenReward({
            ...shared,
            trajectories: recorded,
            perToken,
            onEpoch: (epoch, learnt) => context.emit({ event: "epoch", epoch, loss: learnt }),
          })
        : await (
            await import("limbeck-training/training/scorer/train-scorer")
          ).trainScorer({
            ...shared,
            ...withoutUndefined({ balance }),
            trajectories: await labelled(recorded, labels, { env, envOptions }, context),
            ...(heldOut === undefined ? {} : { heldOut: await recordedEpisodes(context.store, [heldOut]) }),
            kind,
            loss,
            labels,
            likelihood,
            seconds,
            now,
            onEpoch: (epoch) => context.emit({ event: "epoch", ...epoch }),
          });
    context.emit({ event: "end", out: given.out, card });
    return card;
  },
});

/** Replayed where the labels want to know how far it was to the end. */
async function labelled(
  recorded: readonly Trajectory[],
  labels: string,
  given: Pick<Input<typeof inputs>, "env" | "envOptions">,
  context: Context,
): Promise<readonly Trajectory[]> {
  const { REPLAY, withReplayLabels } = await import("limbeck-training/training/scorer/replay-labels");
  const { OUTLOOK } = await import("limbeck-training/training/scorer/outlook");
  if (labels !== REPLAY && labels !== OUTLOOK) return recorded;
  const { firstDemonstrator, givenWorld } = await import("./given-parts.ts");
  const command = "reward train --labels replay and outlook";
  const { id, env, world } = await givenWorld(command, given, context);
  const demonstrator = firstDemonstrator(world);
  if (demonstrator !== undefined)
    return await withReplayLabels(recorded, { env, demonstrator, signal: context.signal });
  throw new EngineError(
    "needs-unmet",
    `--labels replay and outlook need a world with a demonstrator, and "${id}" has none. Use --labels outcome or continuations.`,
  );
}

/**
 * Judges that learn from planted faults, and what they are worth.
 *
 * @example
 * const { metrics } = await judgeReward({ method: "path-judge", options: { walks: 30, heldOut: 10, epochs: 1 } });
 * console.log(Object.keys(metrics).includes("gain")); // true
 */
export const judgeReward = defineOperation({
  name: "reward judge",
  group: "learn",
  summary: "train judges on planted faults and measure them",
  examples: [],
  input: {
    method: input.choice("NAME", "judge: which way to train", async () =>
      Object.keys((await import("limbeck-training/training/judge/registry")).judgings),
    ),
    options: { ...input.settings("judge: an option of the method", { flag: "set" }), value: "NAME=VALUE" },
    out: inputs.out,
    seed: inputs.seed,
  },
  events: {
    judged: {
      method: "which way to train",
      metrics: "figures on samples that were held out",
      out: "folder of the judge, where it is kept",
    },
  },
  run: async ({ method, options, out, seed }, context) => {
    const { judgings, trainJudge } = await import("limbeck-training/training/judge/registry");
    const { saveJudge } = await import("limbeck-training/training/judge/saved-judge");
    if (method === undefined) {
      throw usageError(`limbeck reward judge needs --method NAME: ${Object.keys(judgings).join(", ")}.`);
    }
    const { options: table, info } = lookUp<Judging>(judgings, method, "training of judges");
    const settings = readSettings(table, options, method);
    const folder = out === undefined ? undefined : neededPath(context, out, "");
    if (folder !== undefined) await requireNew(folder, out ?? folder, "another --out");
    const { metrics, kept } = await trainJudge(method, settings, seed);
    if (folder !== undefined) await saveJudge(folder, { ...kept, method, seed, metrics });
    context.emit({ event: "judged", method, metrics, ...(out === undefined ? {} : { out }) });
    return { info, metrics, reads: kept.reads };
  },
});
