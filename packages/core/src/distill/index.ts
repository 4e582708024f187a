/** Distill: what teachers think of the policy's own words, and what finished trajectories teach: pairs and lessons. */
import { aligned } from "./aligned.ts";
import { ema } from "./ema.ts";
import { endpoint } from "./endpoint.ts";
import { mixture } from "./mixture.ts";
import { model } from "./model.ts";
import { openFrom } from "./open-teacher.ts";
import { reference } from "./reference.ts";
import { routed } from "./routed.ts";
import { self } from "./self.ts";
import type { TaughtModel, Teacher, TeacherId, TeacherKind, TeacherOptions } from "./teacher.ts";

/** Every teacher. A new one is a file, a test, a name in `teacher.ts` and a line here. */
export const teachers = { aligned, ema, endpoint, mixture, model, reference, routed, self } as const satisfies Record<
  TeacherId,
  TeacherKind
>;

/**
 * Opened with everything it is made of; the caller closes it.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("household"));
 * const teacher = await openTeacher("self", model, { start: model.weights, decay: 0.9 });
 * const [said] = await teacher.scorer.score([{ ids: Int32Array.of(1, 2, 3), mask: Uint8Array.of(0, 1, 1) }]);
 * console.log(said?.logprob?.map((value) => Math.sign(value))); // Float32Array(3) [ 0, -1, -1 ]
 * await model.close();
 */
export async function openTeacher(
  name: string,
  taught: TaughtModel,
  options: Omit<TeacherOptions, "member">,
): Promise<Teacher> {
  return await openFrom(teachers, name, taught, options);
}
