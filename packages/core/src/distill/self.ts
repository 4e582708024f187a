/** The policy itself, as it was when it wrote the response. What OPID publishes. */
import type { TeacherKind } from "./teacher.ts";

export const self = {
  info: {
    title: "The policy itself",
    meaning: "The weights that sampled the response score it again with the skill; they drift as the policy learns.",
  },
  options: {},
  create: (model) => ({ scorer: model, learned: () => undefined, state: undefined }),
} as const satisfies TeacherKind;
