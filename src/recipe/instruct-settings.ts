/** Settings of recipes that let a teacher score the episodes, and when that teacher speaks. */
import { option, type OptionValues } from "../base/index.ts";
import { contextOptionTable } from "../distill/contexts/context.ts";
import { contexts, type ContextId } from "../distill/contexts/index.ts";
import type { TeacherId } from "../distill/index.ts";
import { teacherSchedule } from "../skill/schedule.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { teacherSettings } from "./teacher-settings.ts";
import type { UpdateContext } from "../update/context.ts";
import type { Taught } from "../update/record.ts";
import { teach, type TeachRequest } from "../update/teach.ts";

/** Who teaches, what it is told, and when; a recipe gives the defaults that it was published with or needs here. */
export function instructSettings<const Teacher extends TeacherId, const Guard extends boolean>(standard: {
  readonly teacher: Teacher;
  readonly context: ContextId;
  readonly guard: Guard;
  readonly decay?: number;
}) {
  const { analyst, stepSkills, sections, anchors, teacher, teacherSource, teacherDecay, startAfter, stopAfter, guard } =
    teacherSettings;
  return {
    teacher: { ...teacher, default: standard.teacher, meaning: "who scores the episodes" },
    teacherSource,
    teacherDecay: { ...teacherDecay, default: standard.decay ?? teacherDecay.default },
    context: option.choice(
      standard.context,
      Object.keys(contexts) as ContextId[],
      "what the teacher is told beyond what the policy saw",
    ),
    "context.steps": contextOptionTable.steps,
    "context.siblings": contextOptionTable.siblings,
    "context.refusals": contextOptionTable.refusals,
    "context.horizon": contextOptionTable.horizon,
    analyst,
    stepSkills,
    sections,
    anchors,
    startAfter,
    stopAfter,
    guard: { ...guard, default: standard.guard },
  } as const;
}

type InstructSettings = OptionValues<ReturnType<typeof instructSettings<TeacherId, boolean>>>;

/** What the teacher says in this update; undefined where the schedule has it silent or the guard has stopped it. */
export async function teachOnSchedule(
  update: UpdateContext,
  settings: Pick<InstructSettings, "context" | "startAfter" | "stopAfter" | "guard">,
  episodes: readonly Trajectory[],
  request: Omit<TeachRequest, "context">,
): Promise<Taught | undefined> {
  const { teacherOn } = teacherSchedule(update.update, settings);
  if (!teacherOn || (settings.guard && update.silenced)) return undefined;
  return await teach(update, episodes, { context: settings.context, ...request });
}
