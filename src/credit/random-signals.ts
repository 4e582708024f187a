/** The measured signals of a random row: everything that a method may need beyond rewards and log-probabilities. */
import { pick, type Rng } from "../base/index.ts";
import type { CreditRow } from "./credit.ts";
import type { CalledTool, RowSignals } from "./row.ts";

const TOOLS = ["search", "open", "buy"] as const;

export function withSignals(
  row: CreditRow,
  rng: Rng,
  shape: { readonly full?: boolean; readonly tokens: number },
  isLast: boolean,
): CreditRow {
  const { length } = row.mask;
  const draw = (): Float64Array => Float64Array.from({ length }, () => -3 * rng.float());
  const old = row.logprobs?.old;
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
