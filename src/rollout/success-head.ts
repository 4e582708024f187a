/** A small predictor of success: logistic regression on a few facts of an unfinished episode. */
import type { Walk } from "../walk/line/walk.ts";

export interface Example {
  readonly features: readonly number[];
  readonly success: 0 | 1;
}

export interface SuccessHead {
  readonly means: readonly number[];
  readonly scales: readonly number[];
  /** One a feature, then the constant. */
  readonly weights: readonly number[];
}

const ROUNDS = 25;
/** Pulls weights of standardised features towards 0, so that separable examples have a finite answer. */
const RIDGE = 1;

/** Minimises binary cross-entropy by Newton's method; the answer depends on the examples alone. */
export function fitHead(examples: readonly Example[]): SuccessHead {
  const width = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => examples.map(({ features }) => features[at] ?? 0));
  const means = columns.map((column) => column.reduce((total, value) => total + value, 0) / column.length);
  const scales = columns.map((column, at) => {
    const variance = column.reduce((total, value) => total + (value - (means[at] ?? 0)) ** 2, 0) / column.length;
    // A feature that never differs says nothing.
    return variance > 1e-12 ? Math.sqrt(variance) : Number.POSITIVE_INFINITY;
  });
  const rows = examples.map(({ features }) => standardised(features, means, scales));
  let weights: number[] = Array.from({ length: width + 1 }, () => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = weights.map((weight, at) => (at < width ? RIDGE * weight : 0));
    const ownCurvature = (at: number): number => (at < width ? RIDGE : 1e-9);
    const curvature = weights.map((_, at) => weights.map((__, other): number => (at === other ? ownCurvature(at) : 0)));
    rows.forEach((row, at) => {
      const chance = logistic(dot(row, weights));
      const slack = chance - (examples[at]?.success ?? 0);
      row.forEach((left, i) => {
        gradient[i] = (gradient[i] ?? 0) + slack * left;
        const line = curvature[i] ?? [];
        row.forEach((right, j) => (line[j] = (line[j] ?? 0) + chance * (1 - chance) * left * right));
      });
    });
    const move = solve(curvature, gradient);
    weights = weights.map((weight, at) => weight - (move[at] ?? 0));
    if (move.every((one) => Math.abs(one) < 1e-10)) break;
  }
  return { means, scales, weights };
}

/** Predicted chance of success. */
export function chanceOf({ means, scales, weights }: SuccessHead, features: readonly number[]): number {
  return logistic(dot(standardised(features, means, scales), weights));
}

/** What is known of an episode at this point: slips, going in circles, how sure the policy was, what the world gave. */
export function walkFeatures(walk: Walk): number[] {
  const steps = walk.episode;
  const count = Math.max(1, steps.length);
  const logprobs = steps.flatMap(({ index }) => [...(walk.answer(index)?.logprobs ?? [])]);
  const total = logprobs.reduce((sum, value) => sum + value, 0);
  return [
    steps.filter(({ valid }) => !valid).length / count,
    1 - new Set(steps.map(({ stateKey }) => stateKey)).size / count,
    1 - new Set(steps.map(({ action }) => action)).size / count,
    total / count,
    total / Math.max(1, logprobs.length),
    logprobs.length / count,
    walk.reward.kind === "scored" ? walk.reward.value : 0,
    Math.log1p(walk.task.goal.length),
  ];
}

function standardised(features: readonly number[], means: readonly number[], scales: readonly number[]): number[] {
  return [...means.map((mean, at) => ((features[at] ?? 0) - mean) / (scales[at] ?? 1)), 1];
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((total, value, at) => total + value * (right[at] ?? 0), 0);
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** Gaussian elimination with row exchange; the matrix is positive definite and small. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let column = 0; column < size; column += 1) {
    let best = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(at(row, column)) > Math.abs(at(best, column))) best = row;
    [rows[column], rows[best]] = [rows[best] as number[], rows[column] as number[]];
    for (let row = column + 1; row < size; row += 1) {
      const factor = at(row, column) / at(column, column);
      rows[row] = (rows[row] as number[]).map((value, place) => value - factor * at(column, place));
    }
  }
  const answer: number[] = Array.from({ length: size }, () => 0);
  for (let row = size - 1; row >= 0; row -= 1) {
    let rest = at(row, size);
    for (let column = row + 1; column < size; column += 1) rest -= at(row, column) * (answer[column] ?? 0);
    answer[row] = rest / at(row, row);
  }
  return answer;
}
