/**
 * SCOPE-A: trajectories routed by correctness. What failed is pulled to the teacher, what succeeded is imitated, each with
 * a weight from perplexities (PPL = exp(-mean log-probability over the trajectory)), mean 1 in its half of the group.
 */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { stepsOf } from "./batch-index.ts";
import { entry, intAt } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { onRows, trajectoryGroups } from "./groups.ts";
import { hasSucceeded } from "./scores.ts";
import { shiftMetrics, stepTokens, teacherShift, type TeacherShift } from "./teacher-shift.ts";
import { tokenArrays } from "./tokens.ts";

export const scopeA = defineCredit({
  info: {
    title: "SCOPE-A",
    paper: "SCOPE: Signal-Calibrated On-Policy Distillation Enhancement with Dual-Path Adaptive Weighting",
    confidence: "inferred",
    formula: [
      "PPL = exp(-mean log-probability), over the tokens of a trajectory",
      "failed: A_t = u * (log teacher - log old), u = (1 / PPL_teacher) / mean of the group's failed;   solved: A_t = imitation * v, v = PPL_policy / mean of the group's solved",
      "u and v are held between least and most",
    ],
    meaning:
      "Listens to the teacher where the policy failed on ground the teacher knows, and learns most from solutions that were hard to find.",
    departures: [
      "Only the abstract was read; the limits 0.2 and 5 and the weight of imitation are ours, and which way u goes is an option.",
      "A trajectory that was cut off, or of which nobody knows the outcome, counts as failed; a failed one without a teacher learns nothing.",
    ],
  },
  needs: ["oldLogprobs"],
  mayNeed: {
    episodeTeacher: "rows of failed trajectories that have a teacher",
    stepTeacher: "steps that have a teacher of their own",
  },
  options: {
    imitation: option.number(1, "weight of solved trajectories", { least: 0 }),
    reliable: option.choice(
      "known",
      ["known", "surprising"],
      "failures that count more: those the teacher finds likely, or those it finds unlikely",
    ),
    least: option.number(0.2, "smallest weight", { least: 0 }),
    most: option.number(5, "largest weight", { least: 0 }),
    divergence: option.flag(false, "tokens of failed trajectories carry u alone, for the objective scope-a"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two failures, of teacher perplexity 2 and 4, and two solutions, of perplexity 1.5 and 3.",
    batch: episodes({
      A: { outcome: 0, steps: [{ logprobs: { old: [-1], episodeTeacher: [-Math.LN2] } }] },
      B: { outcome: 0, steps: [{ logprobs: { old: [-1], episodeTeacher: [-2 * Math.LN2] } }] },
      C: { outcome: 1, steps: [{ logprobs: { old: [-Math.log(1.5)] } }] },
      D: { outcome: 1, steps: [{ logprobs: { old: [-Math.log(3)] } }] },
    }),
  },
  compute: (batch, options) => {
    const heard = teacherShift(batch);
    const routes = routesOf(batch, heard, options.reliable === "known");
    const held = (weight: number): number => Math.min(Math.max(weight, options.least), options.most);
    const solved = routes.map(({ kind, weight }) => (kind === "solved" ? held(weight) : 0));
    const failed = routes.map(({ kind, weight }) => (kind === "failed" ? held(weight) : 0));
    const pulled = tokenArrays(batch.rows);
    onRows(batch, Float64Array.from(failed)).forEach((weight, at) => {
      if (weight === 0 || heard.taught[at] === 0) return;
      const target = entry(pulled, at);
      heard.shifts[at]?.forEach((shift, token) => {
        target[token] = weight * (options.divergence ? 1 : shift);
      });
    });
    return {
      terms: {
        teacher: { weight: 1, perToken: pulled },
        imitation: { weight: options.imitation, perRow: onRows(batch, Float64Array.from(solved)) },
      },
      metrics: {
        ...shiftMetrics(heard),
        solved: solved.filter((weight) => weight > 0).length,
        corrected: failed.filter((weight) => weight > 0).length,
      },
    };
  },
});

interface Route {
  /** "silent": failed, and without a teacher. */
  readonly kind: "failed" | "solved" | "silent";
  readonly weight: number;
}

/** Each trajectory's way and weight, before the limits. */
function routesOf(batch: IndexedBatch, heard: TeacherShift, known: boolean): Route[] {
  const groups = trajectoryGroups(batch);
  const raw = Array.from(groups.of, (group, trajectory): Route & { readonly group: number } => {
    const tokens = stepTokens(batch, trajectory).flat();
    if (isSolved(batch, trajectory)) {
      const own = tokens.map(({ at, token }) => batch.rows[at]?.logprobs?.old?.[token] ?? 0);
      return { group, kind: "solved", weight: perplexity(own) };
    }
    const taught = tokens.filter(({ at }) => heard.taught[at] === 1);
    if (taught.length === 0) return { group, kind: "silent", weight: 0 };
    const theirs = taught.map(
      ({ at, token }) => (batch.rows[at]?.logprobs?.old?.[token] ?? 0) + (heard.shifts[at]?.[token] ?? 0),
    );
    return { group, kind: "failed", weight: known ? 1 / perplexity(theirs) : perplexity(theirs) };
  });
  return raw.map(({ group, kind, weight }) => {
    const peers = raw.filter((one) => one.group === group && one.kind === kind).map((one) => one.weight);
    const average = mean(peers);
    return { kind, weight: average > 0 ? weight / average : 1 };
  });
}

/** Held where numbers end: a trajectory of probability 0 stays a finite number. */
const LONGEST = 300;

function perplexity(logprobs: readonly number[]): number {
  return logprobs.length === 0 ? 1 : Math.exp(Math.min(Math.max(-mean(logprobs), -LONGEST), LONGEST));
}

/** Cut off is not solved. */
function isSolved(batch: IndexedBatch, trajectory: number): boolean {
  const steps = stepsOf(batch, trajectory);
  const last = entry(batch.rows, intAt(steps, steps.length - 1));
  return hasSucceeded(batch, last) && last.truncated !== true;
}
