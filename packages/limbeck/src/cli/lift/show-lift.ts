/** What a lift test finds, for people. */
import type { Lift } from "limbeck-core/eval/lift/lift";
import type { liftLibrary } from "../../run/lift-skills.ts";
import type { Invocation } from "../command.ts";
import { formatDuration, plural } from "limbeck-base/base/units";
import type { Agreement } from "limbeck-core/eval/lift/judge-agreement";
import { withInterval } from "../skills/words.ts";

type Told = Lift &
  Awaited<ReturnType<typeof liftLibrary>> &
  Record<"event" | "name" | "problem" | "status" | "split", string> &
  Record<"pairs" | "tasks" | "durationMs" | "costUsd" | "trials" | "runs" | "known" | "proposed", number> & {
    readonly decision: string | null;
    readonly usd: number | null;
    readonly agentMs?: number;
  };

export function showLift({ print, note, style }: Invocation) {
  const success = ({ success: { skill, bare, placebo } }: Told, their: string, a: string): string =>
    `    success ${skill.toFixed(3)} with ${their}, ${bare.toFixed(3)} with nothing, ${placebo.toFixed(3)} with ${a}`;
  const lifts = ({ overPlacebo, overBare }: Told, placebo: string): string =>
    `    lift ${withInterval(overPlacebo)} over ${placebo}, ${withInterval(overBare)} over nothing`;
  const says: Readonly<Record<string, (one: Told) => void>> = {
    problem: ({ name, problem }) => print(`- ${style.bold(name)}: ${problem.replace(":", ",")}.`),
    agreement: (one) => {
      const { share, verdicts, kappa } = one as unknown as Agreement;
      print(
        `The judge agrees with the person on ${(100 * share).toFixed(0)}% of ${plural(verdicts, "answer")} (kappa ${kappa.toFixed(2)}).`,
      );
    },
    plan: ({ skills, tasks, runs, known, proposed, usd }) => {
      const cost = usd === null ? "" : `, at most $${usd.toFixed(2)}`;
      print(
        `${plural(skills, "skill")}, ${plural(tasks, "trial")}: ${plural(runs, "run")} at most${cost}, ${known} known.`,
      );
      if (tasks < proposed * skills)
        note(
          `! ${plural(proposed, "pair")} for each skill would do; there are fewer. More tasks, --trials K, or a later run add to these.`,
        );
    },
    look: ({ name, look, pairs, overPlacebo }) =>
      note(`${name}: look ${look}, ${plural(pairs, "pair")}, ${withInterval(overPlacebo)} over the placebo`),
    lift: (one) => {
      const { name, verdict, status, decision, pairs, saved, passAll, promptTokens, tokensPerPoint } = one;
      const mark = verdict === "helps" ? style.green("✓") : verdict === "harms" ? style.red("✗") : "-";
      print(`${mark} ${style.bold(name)}: ${verdict}, ${status}${decision === null ? "" : ` (${decision})`}`);
      print(`${success(one, "it", "a placebo")}; ${plural(pairs, "pair")}${saved > 0 ? `, ${saved} saved` : ""}`);
      print(lifts(one, "the placebo"));
      if (passAll.k > 1)
        print(
          `    all ${passAll.k} trials: ${passAll.skill.toFixed(3)} with it, ${passAll.bare.toFixed(3)} with nothing (pass^k)`,
        );
      print(
        `    ${plural(promptTokens, "token")}${tokensPerPoint === null ? "" : `, ${tokensPerPoint} for each point`}`,
      );
    },
    together: (one) => {
      const { skills, tasks, split, placeboOverBare } = one;
      print();
      print(`All ${skills} in use together, on ${plural(tasks, "fresh task")} (${split}):`);
      print(success(one, "them", "placebos"));
      print(lifts(one, "placebos"));
      print(`    the placebo alone: ${withInterval(placeboOverBare)} over nothing`);
      if (placeboOverBare.low > 0)
        note(
          "! This policy does better with any text where advice stands; only lift over the placebo is the skills' doing.",
        );
    },
    end: ({ skills, unmeasured, episodes, gate, durationMs, agentMs, costUsd }) => {
      print();
      const without = unmeasured.length === 0 ? "" : ` (${unmeasured.length} not measured)`;
      print(
        `${plural(skills, "skill")}${without}, ${plural(episodes, "episode")}, gate ${gate} (${formatDuration(durationMs)}).`,
      );
      if (agentMs === undefined) return;
      print(`The agent ran for ${formatDuration(agentMs)}${costUsd > 0 ? ` and spent $${costUsd.toFixed(2)}` : ""}.`);
    },
  };
  return { event: (one: Told) => says[one.event]?.(one) };
}
