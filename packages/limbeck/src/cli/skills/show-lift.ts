/** What a lift test finds, for people. */
import type { Lift } from "limbeck-core/eval/lift/lift";
import type { liftLibrary } from "../../run/lift-skills.ts";
import type { Invocation } from "../command.ts";
import { formatDuration, plural } from "limbeck-base/base/units";
import { withInterval } from "./words.ts";

type Told = Lift &
  Awaited<ReturnType<typeof liftLibrary>> &
  Record<"event" | "name" | "problem" | "status" | "split", string> &
  Record<"pairs" | "tasks" | "durationMs" | "costUsd", number> & {
    readonly decision: string | null;
    readonly agentMs?: number;
  };

export function showLift({ print, note, style }: Invocation) {
  const success = ({ success: { skill, bare, placebo } }: Told, their: string, a: string): string =>
    `    success ${skill.toFixed(3)} with ${their}, ${bare.toFixed(3)} with nothing, ${placebo.toFixed(3)} with ${a}`;
  const lifts = ({ overPlacebo, overBare }: Told, placebo: string): string =>
    `    lift ${withInterval(overPlacebo)} over ${placebo}, ${withInterval(overBare)} over nothing`;
  const says: Readonly<Record<string, (one: Told) => void>> = {
    problem: ({ name, problem }) => print(`- ${style.bold(name)}: ${problem.replace(":", ",")}.`),
    look: ({ name, look, looks, pairs, overPlacebo }) =>
      note(
        `${name}: look ${look} of ${looks}, ${plural(pairs, "pair")}, ${withInterval(overPlacebo)} over the placebo`,
      ),
    lift: (one) => {
      const { name, verdict, status, decision, pairs, saved, promptTokens, tokensPerPoint } = one;
      const mark = verdict === "helps" ? style.green("✓") : verdict === "harms" ? style.red("✗") : "-";
      print(`${mark} ${style.bold(name)}: ${verdict}, ${status}${decision === null ? "" : ` (${decision})`}`);
      print(`${success(one, "it", "a placebo")}; ${plural(pairs, "pair")}${saved > 0 ? `, ${saved} saved` : ""}`);
      print(lifts(one, "the placebo"));
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
