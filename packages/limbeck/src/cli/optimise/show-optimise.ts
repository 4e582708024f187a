/** What an optimisation finds, for people. */
import type { OptimisedRound } from "limbeck-core/eval/optimise/optimise-skill";
import type { optimiseInBranch } from "../../run/optimise-skill.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import type { Invocation } from "../command.ts";

type Shown = { readonly event: string } & OptimisedRound & Awaited<ReturnType<typeof optimiseInBranch>>;

export function showOptimise({ print, style }: Invocation) {
  return {
    event: ({ event, round, outcome, why, skill, accepted, branch }: Shown) => {
      const mark = outcome === "accepted" ? style.green("✓") : "-";
      if (event === "round") print(`${mark} round ${round}: ${outcome}, ${cleanLine(why)}`);
      if (event !== "end") return;
      if (branch === null) print(`No edit of ${skill} was better; nothing was changed.`);
      else
        print(
          `${accepted} accepted, on the branch ${style.cyan(branch)}. Not installed: merge it, then limbeck lift ${skill}.`,
        );
    },
  };
}
