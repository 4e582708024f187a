/** What the run doctor says of a training, as notices, and the best weights, which outlast a collapse. */
import { join } from "node:path";
import type { Evaluation } from "limbeck-core/eval/evaluate";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { TrainProgress } from "./checkpoint.ts";
import type { UpdateEvent } from "./events.ts";
import { brake, brakeRow, fallen, RELEASED, type BrakeState } from "./brake.ts";
import { countCut, cutWords, examine, fallenWords, HEALTHY, type DoctorState } from "./run-doctor.ts";
import type { Training } from "./training.ts";

/** Folder of the best weights, in that of the run. */
export const BEST = "best";

/** Tells what is new. `collapsed` is there where the training is to end for it. */
export function consultDoctor(
  training: Training,
  progress: TrainProgress,
  event: Omit<UpdateEvent, "spent">,
): { readonly doctor: DoctorState; readonly collapsed: string | undefined } {
  const { settings, onEvent } = training;
  const { state: doctor, found } = examine(progress.doctor ?? HEALTHY, event, settings);
  if (settings.doctor === "off") return { doctor, collapsed: undefined };
  let collapsed: string | undefined;
  for (const { trouble, message } of found) {
    const whole = trouble === "collapse" ? `${message} ${bestWords(training, progress)}` : message;
    if (trouble === "collapse" && settings.doctor === "stop") collapsed = whole;
    else onEvent({ kind: "notice", update: event.update, message: whole });
  }
  return { doctor, collapsed };
}

/** Slows a training that falls below its start, and says why one that goes on falling is over. */
export function applyBrake(
  training: Training,
  progress: TrainProgress,
  event: Omit<UpdateEvent, "spent">,
): { readonly brake: BrakeState; readonly ends: string | undefined } {
  const { settings, onEvent } = training;
  const before = progress.brake ?? RELEASED;
  if (settings.brake === "off") return { brake: before, ends: undefined };
  const { state, message, ends } = brake(before, brakeRow(event), progress.validations);
  if (message !== undefined) onEvent({ kind: "notice", update: event.update, message });
  if (ends === undefined || settings.brake === "slow") return { brake: state, ends: undefined };
  return { brake: state, ends: `${ends} ${bestWords(training, progress)}` };
}

/** Keeps the weights of this update where nothing was better before. */
export async function withBest(
  { keepBest }: Training,
  progress: TrainProgress,
  success: number | null,
): Promise<TrainProgress> {
  if (keepBest === undefined || success === null || !(success > (progress.best?.success ?? 0))) return progress;
  await keepBest();
  return { ...progress, best: { update: progress.update, success } };
}

/** A run that is too short for doctor and brake still says that less is left than the start could do. */
export function sayFallen(training: Training, progress: TrainProgress, after: Evaluation): void {
  const { settings, onEvent } = training;
  const isTold = progress.doctor?.told.includes("collapse") === true;
  const collapsed = progress.before === null || isTold ? undefined : fallenWords(progress.before, after);
  const below = settings.brake === "off" || isTold ? undefined : fallen(progress.validations);
  const words =
    settings.doctor === "off" ? undefined : (collapsed ?? (below && `The training ends below its start: ${below}.`));
  if (words === undefined) return;
  onEvent({ kind: "notice", update: progress.update, message: `${words} ${bestWords(training, progress)}` });
}

/** Before the first update, not after hours of training on answers that do not fit. */
export function sayCutAnswers(training: Training, trajectories: readonly Trajectory[]): string | undefined {
  const { dialect, settings, told, onEvent } = training;
  const message = cutWords(countCut(trajectories, dialect), settings);
  if (message === undefined || settings.doctor === "off") return undefined;
  told.add("cut");
  onEvent({ kind: "notice", update: 0, message });
  return message;
}

function bestWords({ dir }: Training, { best }: TrainProgress): string {
  return best === undefined
    ? "No better weights were kept; the model it started from is as it was."
    : `The best weights, ${best.update === 0 ? "those it began with" : `of update ${best.update}`}, with validation success ${best.success.toFixed(2)}, are kept in "${join(dir, BEST)}".`;
}
