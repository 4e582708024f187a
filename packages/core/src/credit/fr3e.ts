/** FR3E: continuations of one place against each other, less where the place was an improvement on the one before. */
import { option } from "limbeck-base/base/option";
import { isBefore, leavingPosition, type Position } from "./branch-points.ts";
import { entry, groupBy, groupMembers, intAt, real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { groupAdvantages, onRows, trajectoryGroups } from "./groups.ts";
import { deviation, epsilon } from "./shared-options.ts";

/** The larger differences stand out by this power. */
const POWER = 1.5;

export const fr3e = defineCredit({
  info: {
    title: "FR3E",
    paper: "First Return, Entropy-Eliciting Explore, arXiv 2507.07017",
    confidence: "code",
    source:
      "Zheng0428/FR3E @ 509da704; verl/trainer/ppo/core_algos.py: compute_srpo_outcome_advantage, sharpening_coeff; run_srpo_v6_adv.sh",
    formula: [
      "a = outcome - mean over the continuations of one place (normByStd: divided by their deviation)",
      "V_k = share of the continuations of place k with a > 0;   place 0: the episodes from the start",
      "d_0 = 1 - V_0, d_k = V_k - V_(k-1);   sharpen: d = sign(d) |d|^1.5 / sum over places of |d|^1.5",
      "A = a exp(-d_k)",
    ],
    meaning:
      "Compares what came of one place of an episode, and holds back where that place was already an improvement.",
    departures: [
      "Places at which all outcomes are equal are left out before the differences are taken and their rows are dropped, as in the published script, where equal means a sum of 0 or of n. Option skipEqual.",
      "Where published code needs several rounds of tasks for a batch, it takes episodes at the same position of their rounds for one; here never.",
      "Episodes from the start belong to every episode that was gone back to; their factor is the mean over these. The source plays them anew for each.",
      "A place with one continuation says nothing; published code keeps its score.",
      "Published code spreads rows over devices first, and then takes each run of 16 rows of an episode for one place; here a place is where its continuations left the episode.",
      "Published runs name clip ranges of 0.2 below and 0.3 above, but take one step on a batch, so that they do not act; a training here has 0.2 and 0.2, and by default one step too.",
    ],
  },
  needs: ["branches"],
  options: {
    sharpen: option.flag(true, "let the larger differences stand out"),
    skipEqual: option.flag(true, "leave places out at which all outcomes are equal"),
    normByStd: option.flag(false, "divide by the deviation of the place"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "Two episodes from the start, and two continuations from the second step of the first one.",
    batch: episodes({
      X: { outcome: 1, steps: [{}, {}] },
      Y: { outcome: 0, steps: [{}] },
      ...Object.fromEntries(
        [1, 0].map((outcome, at) => [
          `X${at}`,
          { outcome, steps: [{ step: 1, parent: { trajectory: "X", step: 1 } }] },
        ]),
      ),
    }),
  },
  compute: (batch, options) => {
    const { outcomeOf, parentOf, trajectories } = batch.index;
    const tasks = trajectoryGroups(batch);
    const left = Array.from({ length: trajectories }, (_, at) => leavingPosition(batch, at));
    const places = groupBy(trajectories, (at) => {
      const { step = 0, token = 0 } = left[at] ?? {};
      return left[at] === undefined ? -1 - intAt(tasks.of, at) : `${intAt(parentOf, at)} ${step} ${token}`;
    });
    const { advantages } = groupAdvantages(outcomeOf, places, {
      ...options,
      scale: options.normByStd,
      singleton: "zero",
    });
    const members = groupMembers(places);
    const values = members.map((own) => own.filter((at) => real(advantages, at) > 0).length / own.length);
    const isOpen = members.map((own) => own.some((at) => real(outcomeOf, at) !== real(outcomeOf, entry(own, 0))));
    const factors = members.map((): number[] => []);
    for (const line of linesOf(batch, places.of, members, left)) {
      const kept = options.skipEqual ? line.filter((place) => isOpen[place]) : line;
      const steps = differences(
        kept.map((place) => entry(values, place)),
        options.sharpen,
      );
      for (const [at, place] of kept.entries()) factors[place]?.push(Math.exp(-entry(steps, at)));
    }
    const factorOf = factors.map((own) => own.reduce((sum, one) => sum + one, 0) / Math.max(1, own.length));
    const perTrajectory = advantages.map((value, at) => value * entry(factorOf, intAt(places.of, at)));
    return {
      terms: { place: { weight: 1, perRow: onRows(batch, perTrajectory) } },
      metrics: { places: places.count, openPlaces: isOpen.filter(Boolean).length },
      dropped: options.skipEqual ? rowsOutside(batch, places.of, isOpen) : [],
    };
  },
});

/** Rows of episodes whose place is closed. */
function rowsOutside({ index, rows }: IndexedBatch, placeOf: Int32Array, isOpen: readonly boolean[]): number[] {
  return rows.flatMap((_, at) => (isOpen[intAt(placeOf, intAt(index.trajectoryOf, at))] === true ? [] : [at]));
}

/** The places of each episode that was gone back to, in order, behind the start; a task without any has its start alone. */
function linesOf(
  { index }: IndexedBatch,
  placeOf: Int32Array,
  members: readonly (readonly number[])[],
  left: readonly (Position | undefined)[],
): number[][] {
  const starts = members.flatMap((own, place) => (left[entry(own, 0)] === undefined ? [place] : []));
  const below = new Map<number, number[]>();
  for (const [place, own] of members.entries()) {
    const first = entry(own, 0);
    if (left[first] === undefined) continue;
    const parent = intAt(index.parentOf, first);
    below.set(parent, [...(below.get(parent) ?? []), place]);
  }
  const at = (place: number): Position => left[entry(entry(members, place), 0)] as Position;
  const lines = [...below].map(([parent, own]) => {
    let root = parent;
    while (left[root] !== undefined) root = intAt(index.parentOf, root);
    const sorted = own.toSorted((one, other) =>
      isBefore(at(one), at(other)) ? -1 : isBefore(at(other), at(one)) ? 1 : 0,
    );
    return [intAt(placeOf, root), ...sorted];
  });
  const led = new Set(lines.map(([start]) => start));
  return [...lines, ...starts.filter((start) => !led.has(start)).map((start) => [start])];
}

/** Of each value from the one before; the first from 1. */
function differences(values: readonly number[], sharpen: boolean): number[] {
  const plain = values.map((value, at) => (at === 0 ? 1 - value : value - entry(values, at - 1)));
  if (!sharpen) return plain;
  const powers = plain.map((value) => Math.abs(value) ** POWER);
  const total = powers.reduce((sum, one) => sum + one, 0);
  return plain.map((value, at) => (total === 0 ? 0 : (Math.sign(value) * entry(powers, at)) / total));
}
