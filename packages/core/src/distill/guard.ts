/**
 * Watches the teacher and says when it has gone bad. Two signs, each over several updates in a row so that one odd batch
 * does not decide: with the skill in its context the teacher finds the policy's words far less likely (it no longer reads
 * the prompt), or, on a probe, it acts worse with skills than the policy without.
 */
import type { TeacherDiagnostics } from "./diagnostics.ts";

export interface GuardOptions {
  /** Mean shift, in nats a token, below which the teacher counts as lost. Default: -1. */
  readonly lowestShift?: number;
  /** Updates in a row that must show it. Default: 3. */
  readonly patience?: number;
  /** How far the teacher's success with skills may lie below the policy's without. Default: 0.1. */
  readonly margin?: number;
}

export interface Guard {
  /** After every update with a teacher. Gives the reason once the teacher has to be stopped. */
  watch(update: number, diagnostics: TeacherDiagnostics): string | undefined;
  /** After a probe: the teacher's success with skills, and the policy's own without, on the same tasks. */
  probe(update: number, teacher: number, policy: number): string | undefined;
  /** Plain numbers, for a checkpoint. */
  readonly state: GuardState;
}

export interface GuardState {
  readonly lowShifts: number;
  readonly poorProbes: number;
}

const ENOUGH_TOKENS = 32;

export function createGuard(options: GuardOptions = {}, before?: GuardState): Guard {
  const { lowestShift = -1, patience = 3, margin = 0.1 } = options;
  let { lowShifts, poorProbes } = before ?? { lowShifts: 0, poorProbes: 0 };
  return {
    get state() {
      return { lowShifts, poorProbes };
    },
    watch: (update, { all }) => {
      if (all.tokens < ENOUGH_TOKENS) return undefined;
      lowShifts = all.mean < lowestShift ? lowShifts + 1 : 0;
      if (lowShifts < patience) return undefined;
      return `Update ${update}: for ${lowShifts} updates in a row the teacher found the policy's words ${(-all.mean).toFixed(2)} nats a token less likely with the skill than without (limit ${-lowestShift}). It has drifted; distillation stops and training goes on without it. Try the teacher "reference", or a smaller weight.`;
    },
    probe: (update, teacher, policy) => {
      poorProbes = teacher < policy - margin ? poorProbes + 1 : 0;
      if (poorProbes < 2) return undefined;
      return `Update ${update}: with skills the teacher solves ${teacher.toFixed(2)} of the probe tasks, the policy without them ${policy.toFixed(2)}, twice in a row. It has nothing left to teach; distillation stops and training goes on without it.`;
    },
  };
}
