/**
 * TRD: the teacher does not only judge what the policy did, it does it over.
 *
 * For every episode the teacher is shown what was tried and how the task is done, and plays it again. What it then did is
 * learned from under the plain prompt: the policy is pulled to what the teacher believed at every word. A rewrite that does
 * not get there teaches nothing; the episode itself is then scored in the usual way.
 */
import { option } from "limbeck-base/base/option";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { avoidanceText } from "../skill/statistics/wording.ts";
import { policyGradient } from "../objective/policy-gradient.ts";
import { onlyRows } from "../objective/only-rows.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { divergenceLoss, divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { measure, type UpdateContext } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { type Told, playTold } from "../update/play-told.ts";
import { solve } from "../update/solve.ts";

export const trd = defineRecipe({
  info: {
    title: "TRD",
    paper: "Trajectory-Refined Distillation, published code",
    confidence: "code",
    source:
      "louieworth/trd @ 21116fbf; recipe/opd/generation/y_r_prepare.py; recipe/opd/kl_utils.py: compute_forward_kl_full_vocab",
    meaning:
      "The teacher plays every episode over, knowing what was tried and what works; the policy learns from that.",
    departures: [
      "In a world a rewrite is a sequence of actions: the teacher acts again, and the world says whether it got there. Published code trains on every rewrite, right or wrong, and never on the attempt beside it; here only on rewrites that succeed, and on the other attempts by the shift of the sampled token (unfinished; preset paper leaves them out).",
      "The teacher is shown the solution and the tried actions that are not in it; published prompts show the whole attempt, and ask to keep what is good of it. The losses of rewrites and of other attempts weigh by their shares of tokens; an attempt without a known solution stays in the mean with advantage 0.",
      "The teacher is the frozen start with the demonstrator's solution in view; published code also has larger teachers without it.",
      "Scoring the rewrite, the teacher sees the solution and not the attempt that it mends.",
      "Published code trains on prompt and rewrite as plain text, without a chat template and without an end of turn; here the rewrite stands in the policy's own prompt, and its end of turn is trained.",
      "Published code writes attempts and rewrites once, before training, and makes one pass over them; here both are made in every update.",
      "The divergence is over the teacher's 20 likeliest words and the rest by default; published over the whole vocabulary (preset paper: form vocabulary).",
      "Published attempts and rewrites are sampled at temperature 0.6, top-p 0.95, top-k 20; here attempts at 1 and rewrites at 0.7 (preset paper 0.6) from the whole distribution.",
      "Published: 128 problems (16 on each of 8 devices) of one answer, adapters of rank 64, rate 5e-6 with a warm-up over a tenth of the steps and a cosine to a tenth, weight decay 0.005, beta2 0.95; here 8 tasks of 8, rate 3e-4, constant, no decay. Preset paper has all but the adapters and the warm-up.",
    ],
  },
  // For episodes that no rewrite has mended.
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: false }),
    ...divergenceSettings({ form: "candidates", direction: "forward", clamp: null }),
    rewriteTemperature: option.number(0.7, "temperature of the teacher's playing", { least: 0 }),
    rewritten: option.choice(
      "all",
      ["all", "failed"],
      "which episodes the teacher plays over; with failed the successes teach nothing",
    ),
    unfinished: option.choice("opd", ["opd", "drop"], "an episode whose rewrite failed: scored as it is, or left out"),
  },
  presets: {
    // The scripts of opsd, forward_kl_y_r.
    paper: {
      teacher: "reference",
      form: "vocabulary",
      direction: "forward",
      rewriteTemperature: 0.6,
      unfinished: "drop",
      tasks: 128,
      group: 1,
      learningRate: 5e-6,
      schedule: "cosine",
      finalLearningRate: 5e-7,
      weightDecay: 0.005,
      beta2: 0.95,
    },
  },
  demonstrated: () => true,
  update: async (update, settings) => {
    // 1. Act.
    const played = await collect(update);

    // 2. The teacher plays the same tasks over, with the attempt and the solution in view.
    const rewrites = await rewrite(update, played, settings);

    // 3. It scores what it did, and the attempts that it could not mend.
    const mended = rewrites.flatMap(({ mended: one }) => (one === undefined ? [] : [one]));
    const left = rewrites.flatMap(({ attempt, mended: one }) => (one === undefined ? [attempt] : []));
    const old = settings.unfinished === "opd" ? left : [];
    const tried = rewrites.filter(({ played: one }) => one).length;
    measure(update, { "trd/rewritten": tried, "trd/mended": mended.length, "trd/left": left.length });
    const episodes = [...mended, ...old];
    const said = await teachOnSchedule(update, settings, episodes, widthOf(settings));
    if (said === undefined || said.opinions.size === 0) return;

    // 4. Learn from the rewrites by a divergence, and from the rest by the shift of the sampled tokens.
    const { rows } = await credit(update, episodes, said);
    const isMended = new Set(mended.map(({ id }) => id));
    const ofMended = ({ trajectory = "" }: TrainRow): boolean => isMended.has(trajectory);
    const divergence = onlyRows(divergenceLoss(settings, "token-mean"), ofMended);
    const shift = onlyRows(policyGradient.create(), (row) => !ofMended(row));
    // Each by its share of the tokens, so that a few words of an unmended attempt do not outweigh the rest.
    const share = shareOf(rows, ofMended);
    const policy = { name: "policy", weight: share, objective: divergence };
    await learn(update, rows, share === 0 ? { name: "policy", weight: 1, objective: shift } : policy, [
      { name: "shift", weight: share === 0 ? 0 : 1 - share, objective: shift },
    ]);
  },
});

/** Of the trained tokens, those of such rows. */
function shareOf(rows: readonly TrainRow[], includes: (row: TrainRow) => boolean): number {
  const tokens = (some: readonly TrainRow[]): number =>
    some.reduce((total, { mask }) => total + mask.reduce((sum, on) => sum + on, 0), 0);
  return tokens(rows.filter(includes)) / Math.max(1, tokens(rows));
}

interface Rewrite {
  readonly attempt: Trajectory;
  /** The teacher was asked to play it over: a solution is known. */
  readonly played: boolean;
  /** How the teacher did it; undefined where it failed as well, or where no solution is known. */
  readonly mended: Trajectory | undefined;
}

async function rewrite(
  update: UpdateContext,
  played: readonly Trajectory[],
  { rewritten, rewriteTemperature: temperature }: { readonly rewritten: string; readonly rewriteTemperature: number },
): Promise<Rewrite[]> {
  const attempts = played.filter(({ success }) => rewritten === "all" || success !== true);
  const told: (Told & { readonly place: number })[] = [];
  for (const [place, { task, group, steps }] of attempts.entries()) {
    const workflow = (await solve(update, task))?.plan;
    if (workflow === undefined) continue;
    const tried = [...new Set(steps.map(({ action }) => action))].filter((action) => !workflow.includes(action));
    told.push({ place, task, group, hint: avoidanceText({ tried, workflow }) });
  }
  const episodes = await playTold(update, told, { label: "rewritten", by: "teacher", temperature });
  const mended = new Map(told.map(({ place }, at) => [place, episodes[at]]));
  return attempts.map((attempt, place) => {
    const one = mended.get(place);
    return { attempt, played: mended.has(place), mended: one?.success === true ? one : undefined };
  });
}
