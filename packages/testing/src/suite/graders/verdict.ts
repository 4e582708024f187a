/**
 * A judge that is judged itself: whether what it says of the episode is what the world says. It believes the record, or it asks
 * the world as it was left.
 */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";
import { hasMatch, patternFault } from "./pattern.ts";
import { holdsIn, queriesOption, queryFault } from "./state.ts";

export const verdict = defineGrader({
  id: "verdict",
  meaning: "Whether a judge by rule agrees with the world on the episode; it takes no answer.",
  options: {
    by: option.choice("probe", ["record", "probe"], "record: by what the agent said last; probe: by queries as well"),
    claim: option.text(String.raw`\bdone\b`, "a pattern of words by which an agent says that it has done the task"),
    queries: queriesOption,
  },
  check: (_, { by, claim, queries }) =>
    patternFault(claim) ?? (by === "probe" ? queryFault("verdict", queries) : undefined),
  grade: async ({ trajectory }, { by, claim, queries }, { probe }) => {
    if (trajectory.success === null) return { score: unscored("the world does not say whether it is a success") };
    const claims = hasMatch(claim, finalText(trajectory));
    const wrong = by === "probe" && claims ? await holdsIn(queries, probe) : undefined;
    const saysDone = claims && wrong === undefined;
    const why = `${saysDone ? "done" : "not done"}${wrong === undefined ? "" : `: ${wrong}`}`;
    return { score: scored(Number(saysDone === trajectory.success)), why };
  },
});
