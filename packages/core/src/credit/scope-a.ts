/**
 * SCOPE-A: trajectories routed by correctness. What failed is pulled to the teacher, what succeeded is imitated, each with
 * a weight from perplexities (PPL = exp(-mean log-probability over the trajectory)), mean 1 on its path of the group.
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
    confidence: "code",
    source:
      "machine981/SCOPE @ 085fdc28; verl/trainer/ppo/ray_trainer.py: _compute_scope_dual_path_weights; README.md: weight formulation",
    formula: [
      "PPL = exp(-mean log-probability), over the tokens of a trajectory",
      "failed: A_t = u * (log teacher - log old), u = PPL_teacher^(-1 / temperature) over its mean among the group's failed",
      "solved: A_t = imitation * v, v = PPL_policy^(1 / temperature) over its mean among the group's solved",
    ],
    meaning:
      "Listens to the teacher where the policy failed on ground the teacher knows, and learns most from solutions that were hard to find.",
    departures: [
      "As the paper and the README have it. The released code turns the solved ones round, in its scripts and by default: it weighs those most that the policy found likeliest. With the configuration's own default (teacher_path_ppl_positive false, true in both scripts) it also weighs those failures most that the teacher finds unlikely: option reliable.",
      "The weights of a path add up to its number of trajectories in the group, as in the released code; in the README to 1.",
      "Each path has a mean of its own in the recipe scope-a and the objective scope-a, and imitation is -v log p there; another objective takes one mean over the rows of both.",
      "Solved is a reward above 0 in the released code, the world's verdict here; a trajectory that was cut off, or whose outcome is unknown, counts as failed. A failed row without a teacher is dropped and in no mean; there the teacher scores every response.",
      "Perplexities are over one response there, over all trained tokens of a trajectory here, of a failed one over those of its rows that have a teacher; their powers are held within exp(-300) and exp(300).",
      "There the policy's log-probabilities (perplexity, shift, ratio, imitation) are of logits divided by the temperature of its scripts, 0.6, the teacher's of its logits as they are, so that a policy equal to its teacher is moved all the same; here neither is divided.",
      "Weights can be switched off for each path there (1 for all); here a large temperature does that.",
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
    temperature: option.number(1, "perplexities are raised to 1 / temperature", { above: 0 }),
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
    const routes = routesOf(batch, heard, options);
    const solved = routes.map(({ kind, weight }) => (kind === "solved" ? weight : 0));
    const failed = routes.map(({ kind, weight }) => (kind === "failed" ? weight : 0));
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
      dropped: [...batch.rows.keys()].filter(
        (at) => heard.taught[at] === 0 && entry(routes, intAt(batch.index.trajectoryOf, at)).kind !== "solved",
      ),
    };
  },
});

interface Weighing {
  readonly temperature: number;
  readonly reliable: string;
}

interface Route {
  /** "silent": failed, and without a teacher. */
  readonly kind: "failed" | "solved" | "silent";
  readonly weight: number;
}

/** Each trajectory's way and weight. */
function routesOf(batch: IndexedBatch, heard: TeacherShift, { temperature, reliable }: Weighing): Route[] {
  const groups = trajectoryGroups(batch);
  const raw = Array.from(groups.of, (group, trajectory): Route & { readonly group: number } => {
    const tokens = stepTokens(batch, trajectory).flat();
    if (isSolved(batch, trajectory)) {
      const own = tokens.map(({ at, token }) => batch.rows[at]?.logprobs?.old?.[token] ?? 0);
      return { group, kind: "solved", weight: perplexity(own, 1 / temperature) };
    }
    const taught = tokens.filter(({ at }) => heard.taught[at] === 1);
    if (taught.length === 0) return { group, kind: "silent", weight: 0 };
    const theirs = taught.map(
      ({ at, token }) => (batch.rows[at]?.logprobs?.old?.[token] ?? 0) + (heard.shifts[at]?.[token] ?? 0),
    );
    return { group, kind: "failed", weight: perplexity(theirs, (reliable === "known" ? -1 : 1) / temperature) };
  });
  return raw.map(({ group, kind, weight }) => {
    const peers = raw.filter((one) => one.group === group && one.kind === kind).map((one) => one.weight);
    const average = mean(peers);
    return { kind, weight: average > 0 ? weight / average : 1 };
  });
}

/** Held where numbers end: a trajectory of probability 0 stays a finite number. */
const LONGEST = 300;

/** Raised to a power. */
function perplexity(logprobs: readonly number[], power: number): number {
  return logprobs.length === 0 ? 1 : Math.exp(Math.min(Math.max(-mean(logprobs) * power, -LONGEST), LONGEST));
}

/** Cut off is not solved. */
function isSolved(batch: IndexedBatch, trajectory: number): boolean {
  const steps = stepsOf(batch, trajectory);
  const last = entry(batch.rows, intAt(steps, steps.length - 1));
  return hasSucceeded(batch, last) && last.truncated !== true;
}
