/** Metrics of a training as curves, each with what it is about. */
import type { RunRecord } from "limbeck-store/report/read-run";
import type { Curve, CurveTopic, EvaluationPoint } from "../api/runs.ts";

/** In the order in which they are tried. */
const TOPICS: readonly (readonly [RegExp, CurveTopic, string])[] = [
  [/^success$/, "success", "share"],
  [/^reward$/, "reward", ""],
  [/^entropy$/, "entropy", "nats"],
  [/(^|\/|[a-z])kl(\/|$|[A-Z])|^kl/i, "kl", "nats"],
  [/^seconds\//, "phase", "seconds"],
  [/^seconds$/, "cost", "seconds"],
  [/^teacher\/(shift|positive)/, "teacher", "nats"],
  [/^teacher\/.*tokens/i, "teacher", "tokens"],
  [/^(teacher|probe)\//, "teacher", ""],
  [/^(analyst|skill)\//, "skill", ""],
  [/^credit\//, "credit", ""],
  [/^spent\/.*tokens/i, "cost", "tokens"],
  [/^spent\/.*steps/i, "cost", "steps"],
  [/^spent\/.*seconds/i, "cost", "seconds"],
  [/^spent\//, "cost", ""],
  [/^(staleShare|clipFraction)$/, "loss", "share"],
  [/^loss|^gradientNorm$|^learningRate$|^ratioSpread$|^trainedTokens$/, "loss", ""],
];

export function topicOf(name: string): { readonly topic: CurveTopic; readonly unit: string } {
  const [, topic, unit] = TOPICS.find(([pattern]) => pattern.test(name)) ?? [undefined, "other" as const, ""];
  return { topic, unit: name === "teacher/positive" ? "share" : unit };
}

/** Held-out success over the updates is a curve of its own, with the intervals as its band. */
export function curvesOf({ metrics }: RunRecord, evaluations: readonly EvaluationPoint[]): Curve[] {
  const curves = [...metrics].map(([name, points]): Curve => ({ name, ...topicOf(name), points: [...points] }));
  const phases = [
    ["held-out success", evaluations.filter(({ phase }) => ["before", "midway", "after"].includes(phase))],
    ["validation success", evaluations.filter(({ phase }) => phase === "validation")],
    ["teacher's own success", evaluations.filter(({ phase }) => phase === "probe")],
  ] as const;
  const held = phases.flatMap(([name, told]): Curve[] => {
    const points = told.map(({ update, value, low, high }) => ({ x: update, y: value, low, high }));
    const topic = name === "teacher's own success" ? "teacher" : "success";
    return points.length === 0 ? [] : [{ name, topic, unit: "share", points }];
  });
  return [...held, ...curves];
}
