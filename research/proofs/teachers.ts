/**
 * What a teacher may cost: forms of OPID that read less, beside those without a teacher, at equal tokens through models.
 * And what it is about a teacher that helps: forms of it and controls, at equal environment steps.
 */
import type { ArmInput } from "../../packages/training/src/arena/vary.ts";
import { HOUSEHOLD_SHORT, LONG, type Study } from "./study.ts";

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
  "opid-questions": {
    rows: "OPID's open questions at equal environment steps: the frozen start or the policy itself as teacher, as a divergence or as a shift; a teacher that retires (RetireOPD); skills that are tried first (RSIPO); the published weight 0.001; and two controls, one fixed negative advantage in the teacher's place",
    ...HOUSEHOLD_SHORT,
    arms: [
      { name: "grpo", recipe: "grpo", settings: SHARED },
      // The credit beneath the teacher: what is left of OPID without one.
      { name: "gigpo", recipe: "gigpo", settings: SHARED },
      // The frozen start is the default.
      taught("opid"),
      taught("opid-self", { teacher: "self" }),
      taught("opid-shift", { form: "shift" }),
      taught("opid-retire", { retireBelow: 0.8 }),
      taught("opid-retire-success", { retireAtSuccess: 0.5 }),
      taught("opid-replayed", { replaySkills: 1 }),
      // As published: the policy itself, the shift, a thousandth.
      taught("opid-thousandth", {
        teacher: "self",
        form: "shift",
        "credit.episodeWeight": 0.001,
        "credit.stepWeight": 0.001,
      }),
      taught("push-down", { form: "push-down" }),
      taught("fixed-negative", { form: "fixed-negative" }),
    ],
    metrics: [
      "teacher/shift",
      "teacher/gap",
      "teacher/retired",
      "teacher/fixedTokens",
      "replay/tasks",
      "replay/helpful",
      "context/teacherTokens",
    ],
  },
  "larger-houses": {
    rows: "Why GiGPO is level with or ahead of OPID in larger houses: the whole teacher; no teacher for groups that all ended alike; a teacher for the first four updates; one of a third of the weight. And what a skill is worth there to the start, which is the teacher",
    env: "household",
    envOptions: LONG,
    // Episodes are long: this is some twenty updates.
    budget: "steps=16000",
    retentionTasks: 64,
    arms: [
      // The credit beneath the teacher.
      { name: "gigpo", recipe: "gigpo", settings: SHARED },
      taught("opid"),
      taught("opid-differing", { teachGroups: "differing" }),
      taught("opid-first-four", { stopAfter: 4 }),
      taught("opid-third-weight", { divergenceWeight: 0.3 }),
    ],
    metrics: ["groups/dead", "teacher/shift", "teacher/shiftSuccess", "teacher/shiftFailure", "context/teacherTokens"],
  },
};
