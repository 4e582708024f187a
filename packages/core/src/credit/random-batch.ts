/** Random batches that hold everything a method may need; for the contract suite, the bench and the parity script. */
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import type { CreditBatch, CreditRow } from "./credit.ts";
import type { CalledTool, Outcome, RowSignals } from "./row.ts";

export interface BatchShape {
  readonly seed: number;
  readonly tasks: number;
  readonly trajectories: number;
  /** At most; each trajectory has at least 1. */
  readonly steps: number;
  /** Longest response; each has at least 1. */
  readonly tokens: number;
  /** Different states of a task. */
  readonly states?: number;
  /** Every row as long as can be, and nothing masked: what a bench wants. */
  readonly full?: boolean;
  /** Without teachers, and without invalid actions. */
  readonly plain?: boolean;
  /** Some trajectories branch from an earlier one of their task. */
  readonly branches?: boolean;
  /** False leaves out what only some methods read: signals, and log-probabilities of other prompts. */
  readonly signals?: boolean;
}

/** Scores are eighths, so that sums of them are exact. */
export function randomBatch(shape: BatchShape): CreditBatch {
  const rng = createRng(shape.seed);
  const rows: CreditRow[] = [];
  const trajectories = new Map<string, Outcome>();
  for (let task = 0; task < shape.tasks; task += 1) {
    const greedyScore = rng.int(9) / 8;
    const forks: Fork[] = [];
    for (let number = 0; number < shape.trajectories; number += 1) {
      const trajectory = `task-${task}/${number}`;
      const outcome = rng.int(9) / 8;
      trajectories.set(trajectory, { outcome, success: outcome >= 0.5 });
      const steps = shape.full === true ? shape.steps : 1 + rng.int(shape.steps);
      // A generator of its own, so that what was drawn before there were signals stays as it was.
      const other = rng.split(`${trajectory} signals`);
      const parent = shape.branches === true ? pickParent(forks, other) : undefined;
      const first = parent?.step ?? 0;
      forks.push({ trajectory, first, end: first + steps });
      for (let step = first; step < first + steps; step += 1) {
        const row = { task: `task-${task}`, trajectory, step, greedyScore, ...randomStep(rng, shape) };
        const placed = parent === undefined ? row : { ...row, parent };
        const isLast = step === first + steps - 1;
        rows.push(shape.signals === false ? placed : withSignals(placed, other, shape, isLast));
      }
    }
  }
  return { rows, trajectories };
}

interface Fork {
  readonly trajectory: string;
  readonly first: number;
  readonly end: number;
}

/** Half of the trajectories leave an earlier one, at any of its own steps; a third of those inside a response. */
function pickParent(forks: readonly Fork[], rng: Rng): CreditRow["parent"] {
  if (forks.length === 0 || rng.float() < 0.5) return undefined;
  const { trajectory, first, end } = forks[rng.int(forks.length)] as Fork;
  const step = first + rng.int(end - first);
  return rng.float() < 1 / 3 ? { trajectory, step, token: rng.int(3) } : { trajectory, step };
}

function randomStep(rng: Rng, shape: BatchShape): Omit<CreditRow, "task" | "trajectory" | "step"> {
  const length = shape.full === true ? shape.tokens : 1 + rng.int(shape.tokens);
  const mask = Uint8Array.from({ length }, () => (shape.full === true || rng.float() < 0.8 ? 1 : 0));
  // At least one trained token a row, so that an outcome has a place to stand.
  mask[rng.int(length)] = 1;
  const draw = (): Float64Array => Float64Array.from({ length }, () => -3 * rng.float());
  const base = {
    state: `state ${rng.int(shape.states ?? 4)}`,
    reward: rng.int(9) / 8,
    valid: shape.plain === true || rng.float() < 0.8,
    truncated: rng.float() < 0.2,
    mask,
    values: Float64Array.from({ length }, () => rng.float()),
  };
  if (shape.plain === true) return { ...base, logprobs: { old: draw() } };
  return {
    ...base,
    logprobs: { old: draw(), episodeTeacher: draw(), stepTeacher: draw() },
    useEpisodeSkill: rng.float() < 0.8,
    useStepSkill: rng.float() < 0.4,
  };
}

// The measured signals of a random row: everything that a method may need beyond rewards and log-probabilities.

const TOOLS = ["search", "open", "buy"] as const;

function withSignals(
  row: CreditRow,
  rng: Rng,
  shape: { readonly full?: boolean; readonly tokens: number },
  isLast: boolean,
): CreditRow {
  const { length } = row.mask;
  const draw = (): Float64Array => Float64Array.from({ length }, () => -3 * rng.float());
  const old = row.logprobs?.old;
  // A generator of its own, so that what was drawn before there were entropies stays as it was.
  const beside = rng.split(`entropy ${row.step}`);
  return {
    ...row,
    gold: "seven",
    logprobs: {
      ...row.logprobs,
      answerTeacher: draw(),
      ...(row.step === 0 ? {} : { withoutObservation: draw() }),
      previousTask: draw(),
      // Between p^2 and p: no distribution has a smaller sum of squares than its own token's square.
      collision: Float64Array.from({ length }, (_, token) => (1 + rng.float()) * (old?.[token] ?? -1)),
      entropy: Float64Array.from({ length }, () => 3 * beside.float()),
    },
    signals: signalsOf(rng, shape, length, isLast),
  };
}

function signalsOf(
  rng: Rng,
  shape: { readonly full?: boolean; readonly tokens: number },
  length: number,
  isLast: boolean,
): RowSignals {
  const eighth = (): number => rng.int(9) / 8;
  const cut = rng.int(length);
  return {
    answerLogprob: { before: -3 * rng.float(), after: -3 * rng.float() },
    cluster: {
      id: pick(["a", "a", "b", null], rng) ?? null,
      evidence: rng.float(),
      before: rng.float(),
      after: rng.float(),
    },
    calls: Array.from({ length: rng.int(3) }, () => randomCall(rng)),
    goldCalls: [
      { name: "search", arguments: { query: "mug", count: 2 } },
      { name: "buy", arguments: { item: 1 } },
    ],
    ...(isLast ? { answer: rng.float() < 0.5 ? "seven" : "eight or seven" } : {}),
    toolSucceeded: rng.float() < 0.7,
    cuts:
      shape.full === true
        ? evenCuts(rng, length)
        : [
            { token: -1, value: eighth() },
            { token: cut, value: eighth() },
          ],
    stateValue: { before: eighth() },
    actionValue: eighth(),
    legalValues: [eighth(), eighth(), eighth()],
    ...(rng.float() < 0.3 ? { snapshot: { id: `snapshot ${rng.int(3)}`, reward: eighth() } } : {}),
    split: { token: rng.float() < 0.8 ? rng.int(length) : null, before: eighth(), after: eighth() },
    guidedSteps: rng.int(3),
    promptTokens: rng.int(100),
    answerInDocuments: rng.split("documents").float() < 0.5,
    role: rng.float() < 0.5 ? "planner" : "executor",
    segment: randomSegment(rng.split("segment")),
  };
}

function randomSegment(rng: Rng): NonNullable<RowSignals["segment"]> {
  return { name: pick(["selection", "utilisation", "distillation"], rng) ?? "utilisation", score: rng.int(9) / 8 };
}

function evenCuts(rng: Rng, length: number): { readonly token: number; readonly value: number }[] {
  return Array.from({ length: Math.ceil(length / 16) }, (_, at) => ({ token: 16 * at - 1, value: rng.int(9) / 8 }));
}

function randomCall(rng: Rng): CalledTool {
  const name = TOOLS[rng.int(TOOLS.length)] as string;
  if (rng.float() < 0.1) return { name, arguments: null };
  return { name, arguments: rng.float() < 0.5 ? { query: "mug", count: rng.int(3) } : { item: rng.int(2) } };
}
