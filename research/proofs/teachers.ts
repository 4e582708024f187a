/** What a teacher may cost: forms of OPID that read less, beside those without a teacher, at equal tokens through models. */
import type { ArmInput } from "limbeck/arena";
import type { Study } from "./study.ts";

/** One rate for all: the one the second round of the study found best for the baselines too. */
const SHARED = { tasks: 4, group: 8, learningRate: 1e-4 } as const;

const taught = (name: string, settings: NonNullable<ArmInput["settings"]> = {}): ArmInput => ({
  name,
  recipe: "opid",
  settings: { ...SHARED, ...settings },
});

export const teacherStudies: Readonly<Record<string, Study>> = {
  "cheap-teachers": {
    rows: "OPID at equal tokens through models: the whole teacher; only in every third update; only groups that differ; only critical steps; only the first four updates; groups that differ in every second update",
    env: "household",
    budget: "model-tokens=400000",
    arms: [
      { name: "grpo", recipe: "grpo", settings: SHARED },
      { name: "gigpo", recipe: "gigpo", settings: SHARED },
      taught("opid"),
      taught("opid-third", { teachEvery: 3 }),
      taught("opid-differing", { teachGroups: "differing" }),
      // Critical steps exist in groups that differ alone.
      taught("opid-critical", { routing: "step_only" }),
      taught("opid-first-four", { stopAfter: 4 }),
      taught("opid-less", { teachGroups: "differing", teachEvery: 2 }),
    ],
    metrics: ["context/teacherTokens", "context/taught"],
  },
};
