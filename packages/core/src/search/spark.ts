/** SPARK: execute, judge, reflect, retry; a monitor sees when plans only repeat themselves and asks for another one. */
import { option } from "limbeck-base/base/option";
import { memoProxies, planDegradation, type Memo } from "../skill/extract/groundedness.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { walkAll, type Start } from "./attempts.ts";
import { isSolved, worthiestNode } from "./worth.ts";
import { lessonOf, listAttempts, oneLine } from "./line-summary.ts";
import { defineSearch, type SearchScope } from "./search.ts";

const LONGEST = 600;

/** Advice when the monitor has seen it: never the number itself. */
const CHANGE = {
  none: "",
  soft: "The last attempts did nearly the same. Change the strategy.",
  strong: "The attempts repeat themselves. Drop the strategy and begin with something that was never tried.",
} as const;

export const spark = defineSearch({
  info: {
    title: "SPARK",
    paper: "Evidence Over Plans: Online Trajectory Verification for Skill Distillation (SPARK), arXiv 2605.09192",
    confidence: "code",
    source:
      "EtaYang10th/spark-skills @ 4c79c5af; spark_skills_gen/context.py: PDI, compute; spark_skills_gen/pipeline.py",
    formula: [
      "execute = an attempt; judge = did it solve the task; reflect = a memo of facts and strategy; retry = a new attempt with the memo's strategy",
      "PDI_s = exec - plan - oss at first, then z(exec) - z(plan) - z(oss); weighted by min(1, s / 2)",
      "weighted < -0.5 from the second memo on: the retry is asked to change its strategy, more strongly where the memo before was below it too",
    ],
    meaning: "Tries, reflects and tries again, and asks for another strategy when memos stop to bring anything new.",
    departures: [
      "Without a text model, or where its answer lacks one of the two lines, the memo is written by rule: facts are what was carried out in any attempt, the strategy is what the last one did. Published code keeps whatever was answered; a part that is missing counts as 0.",
      "The published memo is one document of five parts, written anew each time from the memo before, the commands and the tests, at temperature 0.3; here it is two lines of at most 600 characters, from summaries of the last four attempts. The published prompt wants a strategy that differs from all before, which lowers the likeness of strategies; ours asks what to do next.",
      "Published attempts read the tests without their answers, and retries the whole memo and how many attempts are left; where the advice is strong the strategy is taken out. Here a retry reads the strategy, also then, and what the last attempt did and was refused.",
      "What a world says of the attempt stands for its tests: one of them, which fails until the task is solved.",
      "Published code tries 3 times (7 in its script) with the monitor off unless it is asked for; here 4 times with it on. Its second measure, by Jensen-Shannon divergence, is left out, and an underscore parts words here.",
      "Without a success the worthiest attempt is acted on, of equals the first; a published run then has nothing. An attempt that broke is reflected on like any other; published code keeps the memo, and gives up when its infrastructure fails again and again.",
      "Skills of the successes are written by limbeck skills extract, which keeps apart what was only planned.",
    ],
  },
  options: {
    rounds: option.count(4, "attempts at most"),
    monitor: option.flag(
      true,
      "ask a retry to change its strategy; no: the index is computed and kept, nothing is asked",
    ),
  },
  create: ({ rounds, monitor }) => ({
    run: async (scope) => {
      const ends: SearchNode[] = [];
      const memos: Memo[] = [];
      let start: Start = { from: scope.root };
      for (let round = 0; round < rounds; round += 1) {
        const [end] = await walkAll(scope, [start]);
        if (end === undefined) break;
        ends.push(end);
        if (isSolved(end)) break;
        const memo = await reflect(scope, ends);
        memos.push(memo);
        const index = planDegradation(memos.map((one, at) => memoProxies(one, memos[at - 1]))).at(-1);
        const level = index?.level ?? "none";
        end.info = { ...end.info, degradation: { weighted: index?.weighted ?? 0, level } };
        const told = [memo.strategy, monitor ? CHANGE[level] : "", lessonOf(end)].filter((text) => text !== "");
        start = { from: scope.root, guidance: told.join(" ") };
      }
      return worthiestNode(ends);
    },
  }),
});

async function reflect(scope: SearchScope, ends: readonly SearchNode[]): Promise<Memo> {
  const last = ends.at(-1) as SearchNode;
  const done = (end: SearchNode): string[] =>
    lineTo(end).flatMap(({ step }) => (step?.valid === true ? [oneLine(step.action)] : []));
  const commands = lineTo(last).flatMap(({ step }) => (step === undefined ? [] : [oneLine(step.action)]));
  const failedTests = [scope.task.goal];
  const written = await scope.ask(
    `${listAttempts(scope.task.goal, ends.slice(-4))}\n\nWrite a memo for the next attempt in two lines and nothing else.\nFacts: what is known for sure now.\nStrategy: what to do next.`,
  );
  const facts = /^facts:\s*(.+)$/im.exec(written ?? "")?.[1];
  const strategy = /^strategy:\s*(.+)$/im.exec(written ?? "")?.[1];
  if (facts === undefined || strategy === undefined) {
    return { facts: [...new Set(ends.flatMap(done))].join("; "), strategy: `Tried last: ${commands.join("; ")}.`, commands, failedTests }; // prettier-ignore
  }
  return { facts: oneLine(facts, LONGEST), strategy: oneLine(strategy, LONGEST), commands, failedTests };
}
