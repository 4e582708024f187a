/** The policy at the start of the run. It never forgets how to follow advice. */
import type { TeacherKind } from "./teacher.ts";

export const reference = {
  info: {
    title: "The frozen start",
    meaning: "The weights of the start score every response with the skill, so the teacher cannot drift.",
  },
  options: {},
  create: (model, { start }) => ({ scorer: model.scorerWith(start), learned: () => undefined, state: undefined }),
} as const satisfies TeacherKind;
