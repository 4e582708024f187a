/**
 * Faults planted in runs at a desk, as in FinTrace: a wrong tool, a call that is not needed, an answer that is not heard, a figure
 * that is not given. Each has to lower its own axis and no other.
 */
import type { SuiteInput } from "../suite.ts";
import { AXES } from "../graders/trace-axes.ts";
import { DESK, desk } from "./desk.ts";
import type { MadeSuite } from "./made-suite.ts";

const isRead = (line: string): boolean => /^\{"name":"(?:get|find)_/.test(line);
const isSaid = (line: string): boolean => !line.startsWith("{");
const twice = (lines: readonly string[], at: number): readonly string[] | undefined =>
  at < 0 ? undefined : lines.toSpliced(at, 0, lines[at] ?? "");

/** By axis: the run with its fault; undefined where it has no place for one. */
export const FAULTS: Readonly<
  Record<(typeof AXES)[number], (lines: readonly string[]) => readonly string[] | undefined>
> = {
  actions: (lines) => {
    const at = lines.findIndex((line) => line.startsWith('{"name":"get_user_details"'));
    return at < 0 ? undefined : lines.with(at, '{"name":"calculate","arguments":{"expression":"1 + 1"}}');
  },
  efficiency: (lines) => twice(lines, lines.findIndex(isRead)),
  process: (lines) => twice(lines, lines.findIndex(isSaid)),
  output: (lines) => {
    const rounded = lines.map((line) => (isSaid(line) ? line.replaceAll(/(\d+)\.\d+/g, "about $1") : line));
    return rounded.join("\n") === lines.join("\n") ? undefined : rounded;
  },
};

export function finTrace(by: "axes" | "outcome"): MadeSuite {
  const meaning =
    by === "axes"
      ? "Whether four axes tell which fault was planted in a run with tools: --policy perfect plays the runs."
      : "The same runs for a scorer that looks at the outcome alone.";
  return {
    meaning,
    make: async () => {
      const tasks: SuiteInput["tasks"] = [];
      for (const [at, { success, steps }] of (await (await desk()).play("expert")).entries()) {
        const lines = steps.map(({ action }) => action);
        if (success !== true || lines.some((line) => line.includes("\n"))) continue;
        for (const [place, planted] of (["none", ...AXES] as const).entries()) {
          const run = planted === "none" ? lines : FAULTS[planted](lines);
          if (run === undefined) continue;
          const shared = { world: DESK.world, options: DESK.options, split: DESK.split, at, maxSteps: 30 - place };
          const grader = { use: "trace-axes", options: { planted, by } };
          tasks.push({
            ...shared,
            id: `${planted}/${at}`,
            grader,
            answer: lines,
            solution: run.join("\n"),
            buckets: [planted],
          });
        }
      }
      return { suite: `fintrace-${by}`, meaning, tasks };
    },
  };
}
