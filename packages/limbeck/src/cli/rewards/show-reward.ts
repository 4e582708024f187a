/** What was trained of rewards, for people: epochs, the card of a scorer in a few lines, the figures of judges. */
import type { Input } from "limbeck-base/base/operation";
import type { judgeReward, trainReward } from "../../run/reward.operation.ts";
import type { ScorerCard } from "limbeck-training/training/scorer/card";
import type { Invocation } from "../command.ts";
import { plural } from "limbeck-base/base/units";

type Trained = Awaited<ReturnType<typeof trainReward.run>>;
type Judged = Awaited<ReturnType<typeof judgeReward.run>>;

export function showTraining({ print, style }: Invocation, { out = "" }: Pick<Input<typeof trainReward.input>, "out">) {
  const place = `is in ${style.cyan(out)};`;
  return {
    event: (one: { event: string; epoch: number; loss: number; validLoss?: number }) => {
      const valid = one.validLoss === undefined ? "" : `, on tasks kept apart ${one.validLoss.toFixed(3)}`;
      if (one.event === "epoch") print(style.dim(`epoch ${one.epoch}: loss ${one.loss.toFixed(3)}${valid}`));
    },
    result: (card: Trained) => {
      if (card.kind === "autoregressive") {
        const [after, before] = [card.accuracy.toFixed(3), card.accuracyBefore.toFixed(3)];
        print(
          `Learnt from ${plural(card.pairs, "pair")}; of ${card.heldOut} of other tasks it orders ${after} rightly (${before} before).`,
        );
        return print(`${style.green("✓")} The reward model ${place} lead a policy by it with --guide.`);
      }
      for (const line of cardLines(card)) print(line);
      const use = "name it with --scorer, or in a plan of rewards: { use: process, scorer: DIR }";
      print(`${style.green("✓")} The scorer ${place} ${use}`);
    },
  };
}

function cardLines({ measures, episodes, tasks }: ScorerCard): string[] {
  const number = (value: number | null = null): string => value?.toFixed(3) ?? "–";
  const { auc, midAuc, calibrationError, midCalibrationError, beats, bestOf } = measures;
  const last = bestOf.at(-1);
  const ways = Object.entries(last?.by ?? {}).map(([way, value]) => `${way} ${number(value)}`);
  return [
    `Learnt from ${plural(episodes, "episode")} of ${plural(tasks, "task")}; judged on ${measures.episodes} of ${plural(measures.tasks, "task")} that it has not seen.`,
    `AUC ${number(auc)} at the end, ${number(midAuc)} on the way; calibration error ${number(calibrationError)} and ${number(midCalibrationError)}.`,
    `Best of ${last?.n ?? 0}: ${ways.join(", ")}.`,
    ...Object.entries(beats).map(
      ([way, { mean, low, high }]) => `  against ${way}: ${number(mean)} (${number(low)} to ${number(high)})`,
    ),
  ];
}

export function showJudging({ print, style }: Invocation, { out }: { readonly out: string | undefined }) {
  return {
    result: ({ info, metrics, reads }: Judged) => {
      print(`${info.title}. ${info.meaning}`);
      for (const [name, value] of Object.entries(metrics)) print(`  ${name.padEnd(20)} ${value.toFixed(3)}`);
      const use =
        "; name it in a plan of rewards: { use: process, scorer: DIR }, or with --scorer of rollout and train";
      if (out === undefined) return;
      print(`${style.green("✓")} The judge is in ${style.cyan(out)}${reads === "bookings" ? use : ""}`);
    },
  };
}
