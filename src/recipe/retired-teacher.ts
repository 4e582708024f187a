/** A teacher that retires: what is looked at after an update, and what is kept of it for the next. */
import { gapOf, STILL_TEACHING, watchStudent, type Retirement } from "../distill/retirement.ts";
import { tally, type JsonObject, type Trajectory } from "../trajectory/index.ts";
import { keep, measure, type UpdateContext } from "../update/context.ts";

interface RetiringSettings {
  readonly retireBelow: number | null;
  readonly retireAtSuccess: number | null;
}

export function hasRetired({ kept }: UpdateContext, settings: RetiringSettings): boolean {
  return mayRetire(settings) && retirementOf(kept).retiredAt !== null;
}

/** Where the teacher spoke in this update. The state is the recipe's, and survives a restart. */
export function watchRetirement(
  update: UpdateContext,
  settings: RetiringSettings,
  episodes: readonly Trajectory[],
): void {
  if (!mayRetire(settings)) return;
  const { kept, record } = update;
  const shift = record.diagnostics?.all;
  const before = retirementOf(kept);
  const { solved, seen } = tally(episodes);
  const told = { update: update.update, shift: shift ?? NOTHING_SAID, success: seen === 0 ? 0 : solved / seen };
  const state = watchStudent(before, told, { below: settings.retireBelow, success: settings.retireAtSuccess });
  keep(update, { ...kept, retirement: { ...state } });
  const gap = shift === undefined || shift.tokens === 0 ? {} : { gap: gapOf(shift) };
  measure(update, { ...gap, retired: Number(state.retiredAt !== null) }, "teacher/");
  if (before.retiredAt !== null || state.retiredAt === null) return;
  const shown = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(", ");
  record.notices.push(
    `Update ${update.update}: the teacher retires. In its last updates it lay ${shown(state.lastGaps)} nats a token from the policy, in its first ${shown(state.firstGaps)}; the policy's own success was ${shown(state.lastSuccess)}. From here on nothing is analysed or scored.`,
  );
}

const NOTHING_SAID = { tokens: 0, mean: 0, deviation: 0 };

function mayRetire({ retireBelow, retireAtSuccess }: RetiringSettings): boolean {
  return retireBelow !== null || retireAtSuccess !== null;
}

function retirementOf(kept: JsonObject | null): Retirement {
  return (kept?.["retirement"] as unknown as Retirement | undefined) ?? STILL_TEACHING;
}
