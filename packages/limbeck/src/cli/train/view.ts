/** The live view of a training: one line an update, a bar while something is measured. */
import { median } from "limbeck-base/base/statistics/summary";
import { evaluationWords } from "limbeck-core/eval/evaluate";
import type { EvaluationEvent, UpdateEvent } from "limbeck-training/training/events";
import type { TrainInTurnEvent } from "limbeck-training/training/in-turn";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import type { Progress } from "limbeck-base/base/operation";
import { formatCount, formatDuration, plural } from "limbeck-base/base/units";

export interface View {
  show(event: TrainInTurnEvent): void;
  readonly progress: (label: string, done: number, total: number) => void;
  close(): void;
}

const BARS = "▁▂▃▄▅▆▇█";
const CURVE = 24;
const PULSE_MS = 200;
const LABELS: Readonly<Record<string, string>> = {
  before: "Held-out tasks, before",
  midway: "Held-out tasks, by now",
  validation: "Validation tasks",
  after: "Held-out tasks, after",
  probe: "The teacher itself, with skills",
};
const PHASES: Readonly<Record<string, string>> = {
  collect: "play",
  analyse: "skills",
  rescore: "re-score",
  credit: "credit",
  learn: "learn",
};

export function createView(invocation: Invocation, world: string): View {
  const { style } = invocation;
  const curve: number[] = [];
  const seconds: number[] = [];
  let bar: Progress | undefined;
  let measured: string | undefined;
  /** Something is on the screen from the first second on, and moves while the program has a moment. */
  const alive = (label: string): void => {
    if (invocation.json || measured === label) return;
    endBar();
    measured = label;
    bar = invocation.progress({ label, unit: "time" });
    bar.update(0);
  };
  const pulse = setInterval(() => {
    if (measured !== undefined && !(measured in LABELS)) bar?.update(0);
  }, PULSE_MS);
  pulse.unref();
  const endBar = (): void => {
    bar?.end();
    bar = undefined;
    measured = undefined;
  };
  const evaluated = ({ kind, evaluation }: EvaluationEvent): void => {
    endBar();
    const words = cleanLine(evaluationWords(evaluation));
    const more = `, ${evaluation.meanSteps.toFixed(1)} steps, ${(100 * evaluation.invalid).toFixed(0)}% refused actions`;
    invocation.print(`${LABELS[kind] ?? kind}  success ${style.bold(words)}${evaluation.success === null ? "" : more}`);
  };
  alive("Opening model and world");
  return {
    show: (event) => {
      endBar();
      if (event.kind === "start") {
        const { run, recipe, parameters, from, updates } = event;
        const resumed = from > 0 ? `, from update ${from + 1}` : "";
        invocation.print(
          `${style.bold(recipe)} on ${cleanLine(world)}, ${parameters === 0 ? "" : `${formatCount(parameters)} parameters, `}${plural(updates, "update")}${resumed}  ${style.dim(cleanLine(run))}`,
        );
      } else if (event.kind === "update") {
        curve.push(event.success);
        seconds.push(event.seconds);
        invocation.print(updateLine(invocation, event, curve, seconds));
      } else if (event.kind === "notice") invocation.note(`! Update ${event.update}: ${cleanLine(event.message)}`);
      else if (event.kind === "kept") {
        const { task, after, had, evaluation } = event;
        const before = had === null ? "unknown" : had.toFixed(2);
        invocation.print(
          `Task ${task} after task ${after}  success ${style.bold(cleanLine(evaluationWords(evaluation)))}, ${before} when it was trained`,
        );
      } else if (event.kind !== "end") evaluated(event);
    },
    progress: (label, done, total) => {
      if (invocation.json) return;
      const phase = PHASES[label];
      if (phase !== undefined) {
        const left = seconds.length === 0 ? "" : `, about ${formatDuration(leftMs(seconds, total - done + 1))} left`;
        return alive(`Update ${formatCount(done)} of ${formatCount(total)}: ${phase}${left}`);
      }
      if (measured !== label) {
        endBar();
        measured = label;
        bar = invocation.progress({ label: LABELS[label] ?? label, total });
      }
      bar?.update(done);
    },
    close: () => {
      clearInterval(pulse);
      endBar();
    },
  };
}

/** By the newest updates: the first ones are slower or faster than most. */
function leftMs(seconds: readonly number[], updates: number): number {
  return updates * median(seconds.slice(-5)) * 1_000;
}

function updateLine(
  { style }: Invocation,
  event: UpdateEvent,
  curve: readonly number[],
  seconds: readonly number[],
): string {
  const { update, updates, success, reward, entropy, metrics } = event;
  const width = String(updates).length;
  const phases = Object.entries(event.phases)
    .filter(([, spent]) => spent >= 0.05)
    .map(([phase, spent]) => `${PHASES[phase] ?? phase} ${spent.toFixed(1)}`)
    .join(", ");
  const shift = metrics["teacher/shift"];
  const divergence = metrics["loss/kl/kl"];
  const { staleShare = 0, clipFraction = 0 } = metrics;
  return [
    `${style.dim("update")} ${String(update).padStart(width)}/${updates}`,
    `${style.bold(success.toFixed(2))} ${style.green(spark(curve))}`,
    `reward ${reward.toFixed(2)}`,
    `entropy ${entropy.toFixed(2)}`,
    ...(shift === undefined || Number.isNaN(shift) ? [] : [`teacher ${shift >= 0 ? "+" : ""}${shift.toFixed(3)}`]),
    ...(divergence === undefined ? [] : [`KL ${divergence.toFixed(4)}`]),
    ...(staleShare === 0 ? [] : [`stale ${(100 * staleShare).toFixed(0)}%`]),
    ...(clipFraction === 0 ? [] : [`clipped ${(100 * clipFraction).toFixed(1)}%`]),
    style.dim(`${event.seconds.toFixed(1)} s (${phases})`),
    ...(update === updates ? [] : [style.dim(`${formatDuration(leftMs(seconds, updates - update))} left`)]),
  ].join("  ");
}

/** The last updates' success as bars of eighths. */
export function spark(values: readonly number[]): string {
  return values
    .slice(-CURVE)
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor(value * BARS.length))] ?? " ")
    .join("");
}
