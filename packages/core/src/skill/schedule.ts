/** When the teacher speaks, and about which episodes. */

export interface TeacherScheduleOptions {
  /** Off up to and including this training step; null: on from the first. */
  readonly startAfter?: number | null;
  /** On up to and including this training step; null: to the end. */
  readonly stopAfter?: number | null;
  /** Training steps over which what it says falls evenly from its whole weight to nothing; null: it does not fall. */
  readonly fadeOver?: number | null;
  /** Between its first and its last, it speaks in every so many training steps. Default: 1. */
  readonly teachEvery?: number;
  readonly failedOnly?: boolean;
  /** All episodes up to and including this training step, failed ones afterwards; overrides `failedOnly`. */
  readonly failedOnlyAfter?: number | null;
}

export interface TeacherPlan {
  /** When false, no analysis is needed and none should be paid for. */
  readonly teacherOn: boolean;
  readonly failedOnly: boolean;
  /** What is left of the teacher's weight, from 1 down to 0. */
  readonly share: number;
}

/**
 * Training steps count from 1.
 *
 * @example
 * console.log(teacherSchedule(3, { startAfter: 2, fadeOver: 4 })); // { teacherOn: true, failedOnly: false, share: 1 }
 * console.log(teacherSchedule(5, { stopAfter: 4 }).teacherOn); // false
 */
export function teacherSchedule(step: number, options: TeacherScheduleOptions = {}): TeacherPlan {
  const { startAfter = null, stopAfter = null, fadeOver = null, failedOnly = false, failedOnlyAfter = null } = options;
  const { teachEvery = 1 } = options;
  const spoken = Math.max(0, step - 1 - (startAfter ?? 0));
  const share = fadeOver === null ? 1 : Math.max(0, 1 - spoken / fadeOver);
  return {
    teacherOn:
      (startAfter === null || step > startAfter) &&
      (stopAfter === null || step <= stopAfter) &&
      share > 0 &&
      spoken % teachEvery === 0,
    failedOnly: failedOnlyAfter === null ? failedOnly : step > failedOnlyAfter,
    share,
  };
}

/** A sentence for the user where the settings mean that the teacher never speaks. */
export function scheduleWarning({ startAfter, stopAfter }: TeacherScheduleOptions): string | undefined {
  if (startAfter === null || startAfter === undefined || stopAfter === null || stopAfter === undefined)
    return undefined;
  if (startAfter < stopAfter) return undefined;
  return `The teacher starts after step ${startAfter} and stops after step ${stopAfter}, so it never speaks. Raise stopAfter or lower startAfter.`;
}
