/** `limbeck reward train`: episodes of the store into a scorer, and its card in a few lines. */
import { EngineError, withoutUndefined } from "../../base/index.ts";
import { bundledAddress, bundledNames } from "../../policy/local/bundled-model.ts";
import { LOSSES, type ScorerLoss } from "../../training/scorer/losses.ts";
import { REPLAY, withReplayLabels } from "../../training/scorer/replay-labels.ts";
import { OUTLOOK } from "../../training/scorer/outlook.ts";
import { trainScorer } from "../../training/scorer/train-scorer.ts";
import { KINDS, type ScorerCard, type ScorerKind } from "../../training/scorer/card.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { plural } from "../look/units.ts";
import { givenCount, maybeCount, neededPath } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { givenWorld } from "../rollout/given-world.ts";
import { recordedEpisodes } from "../with-store.ts";
import { refuseTarget } from "./refuse-target.ts";

export async function runRewardTrain(invocation: Invocation): Promise<number> {
  const { io, json, print, printJson, style } = invocation;
  const run = invocation.text("run");
  if (run === undefined) throw usageError("limbeck reward train needs --run ID, a run of the store to learn from.");
  const out = neededPath(invocation, "reward train", "out", "DIR, a folder for the scorer");
  await refuseTarget(out, invocation.text("out") ?? out);
  const named = invocation.text("model");
  const model =
    named !== undefined && bundledNames.some((known) => known === named)
      ? bundledAddress(named)
      : neededPath(invocation, "reward train", "model", "DIR, the model that played the run");
  if (invocation.text("kind") === "autoregressive") return await tokenReward(invocation, { run, out, model });
  const loss = givenLoss(invocation);
  const kind = givenKind(invocation);
  const heldOut = invocation.text("held-out");
  const recorded = await recordedEpisodes(invocation.storeRoot, [run]);
  const labels = invocation.text("labels") ?? "outcome";
  const trajectories =
    labels === REPLAY || labels === OUTLOOK ? await replayedEpisodes(invocation, recorded) : recorded;
  const judged = heldOut === undefined ? undefined : await recordedEpisodes(invocation.storeRoot, [heldOut]);
  const threads = maybeCount(invocation, "threads");
  const card = await trainScorer({
    model,
    out,
    trajectories,
    loss,
    labels,
    kind,
    likelihood: invocation.flag("likelihood"),
    ...withoutUndefined({ epochs: maybeCount(invocation, "epochs"), balance: maybeCount(invocation, "balance") }),
    batch: givenCount(invocation, "batch", 32),
    seconds: givenCount(invocation, "seconds", 600),
    seed: givenCount(invocation, "seed", 0, 0),
    learningRate: givenRate(invocation),
    rank: givenCount(invocation, "rank", 8),
    signal: io.signal,
    now: io.now,
    ...(judged === undefined ? {} : { heldOut: judged }),
    ...(threads === undefined ? {} : { threads }),
    onEpoch: ({ epoch, loss: learnt, validLoss }) => {
      if (json) printJson({ event: "epoch", epoch, loss: learnt, validLoss });
      else print(style.dim(`epoch ${epoch}: loss ${learnt.toFixed(3)}, on tasks kept apart ${validLoss.toFixed(3)}`));
    },
  });
  if (json) printJson({ event: "end", out: invocation.text("out") ?? out, card });
  else for (const line of cardLines(card)) print(line);
  if (!json)
    print(
      `${style.green("✓")} The scorer is in ${style.cyan(invocation.text("out") ?? out)}; name it with --scorer, or in a plan of rewards: { use: process, scorer: DIR }`,
    );
  return EXIT.done;
}

async function tokenReward(
  invocation: Invocation,
  { run, out, model }: { readonly run: string; readonly out: string; readonly model: string },
): Promise<number> {
  const { json, print, printJson, style } = invocation;
  const { trainTokenReward } = await import("../../training/scorer/token-reward.ts");
  const threads = maybeCount(invocation, "threads");
  const card = await trainTokenReward({
    model,
    out,
    trajectories: await recordedEpisodes(invocation.storeRoot, [run]),
    perToken: invocation.flag("per-token"),
    epochs: givenCount(invocation, "epochs", 3),
    batch: givenCount(invocation, "batch", 16),
    rank: givenCount(invocation, "rank", 8, 0),
    learningRate: givenRate(invocation),
    seed: givenCount(invocation, "seed", 0, 0),
    signal: invocation.io.signal,
    ...(threads === undefined ? {} : { threads }),
    onEpoch: (epoch, loss) => {
      if (json) printJson({ event: "epoch", epoch, loss });
      else print(style.dim(`epoch ${epoch}: loss ${loss.toFixed(3)}`));
    },
  });
  const place = invocation.text("out") ?? out;
  if (json) printJson({ event: "end", out: place, card });
  else {
    print(
      `Learnt from ${plural(card.pairs, "pair")}; of ${card.heldOut} of other tasks it orders ${card.accuracy.toFixed(3)} rightly (${card.accuracyBefore.toFixed(3)} before).`,
    );
    print(`${style.green("✓")} The reward model is in ${style.cyan(place)}; lead a policy by it with --guide.`);
  }
  return EXIT.done;
}

async function replayedEpisodes(
  invocation: Invocation,
  recorded: readonly Trajectory[],
): Promise<readonly Trajectory[]> {
  const { id, env, world } = await givenWorld(invocation, "reward train --labels replay and outlook");
  const [demonstrator] = Object.values(world.demonstrators ?? {});
  if (demonstrator !== undefined)
    return await withReplayLabels(recorded, { env, demonstrator, signal: invocation.io.signal });
  throw new EngineError(
    "needs-unmet",
    `--labels replay and outlook need a world with a demonstrator, and "${id}" has none. Use --labels outcome or continuations.`,
  );
}

function cardLines({ measures, episodes, tasks }: ScorerCard): string[] {
  const number = (value: number | null | undefined): string =>
    value === null || value === undefined ? "–" : value.toFixed(3);
  const { auc, midAuc, calibrationError, midCalibrationError, beats, bestOf } = measures;
  const last = bestOf.at(-1);
  return [
    `Learnt from ${plural(episodes, "episode")} of ${plural(tasks, "task")}; judged on ${measures.episodes} of ${plural(measures.tasks, "task")} that it has not seen.`,
    `AUC ${number(auc)} at the end, ${number(midAuc)} on the way; calibration error ${number(calibrationError)} and ${number(midCalibrationError)}.`,
    `Best of ${last?.n ?? 0}: ${Object.entries(last?.by ?? {})
      .map(([way, value]) => `${way} ${number(value)}`)
      .join(", ")}.`,
    ...Object.entries(beats).map(
      ([way, { mean, low, high }]) => `  against ${way}: ${number(mean)} (${number(low)} to ${number(high)})`,
    ),
  ];
}

function givenLoss(invocation: Invocation): ScorerLoss {
  const given = invocation.text("loss") ?? "bce";
  const found = LOSSES.find((loss) => loss === given);
  if (found === undefined) throw usageError(`--loss ${given}: it takes ${LOSSES.join(", ")}.`);
  return found;
}

function givenKind(invocation: Invocation): ScorerKind {
  const given = invocation.text("kind") ?? "adapter";
  const found = KINDS.find((kind) => kind === given);
  if (found === undefined) throw usageError(`--kind ${given}: it takes ${KINDS.join(", ")}, autoregressive.`);
  return found;
}

function givenRate(invocation: Invocation): number {
  const given = invocation.text("learning-rate") ?? "0.003";
  const rate = Number(given);
  if (!(rate > 0 && rate <= 1)) throw usageError(`--learning-rate ${given}: it takes a number above 0, at most 1.`);
  return rate;
}
