/** A supervised fine-tuning for people: what is trained on, and what came of it. */
import type { Input } from "limbeck-base/base/operation";
import type { sft } from "limbeck-training/training/sft.operation";
import type { sftEvents } from "limbeck-training/training/sft.inputs";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatDuration, formatNumber, plural } from "limbeck-base/base/units";

type Start = Readonly<Record<keyof typeof sftEvents.start, number>>;
type Said =
  | ({ readonly event: "start" } & Start)
  | { readonly event: "skip"; readonly message: string }
  | { event: "step" };

export function showSft({ print, note, style }: Invocation, { out = "" }: Pick<Input<typeof sft.input>, "out">) {
  return {
    event: (said: Said) => {
      if (said.event === "skip") note(`Left out: ${cleanLine(said.message)}`);
      if (said.event === "start") for (const line of startLines(said)) note(line);
    },
    result: ({ step, heldOutLoss, durationMs }: Awaited<ReturnType<typeof sft.run>>) => {
      const held = heldOutLoss === undefined ? "" : `, held-out loss ${formatNumber(heldOutLoss)}`;
      const took = style.dim(`(${formatDuration(durationMs)})`);
      print(`${style.green("✓")} ${plural(step, "update")} in ${style.cyan(cleanLine(out))}${held} ${took}`);
    },
  };
}

function startLines({ from, heldOutLoss, heldOutRows, cutRows, emptyRows, ...start }: Start): string[] {
  const learning = `${plural(start.parameters, "parameter")} learn; ${plural(start.steps, "update")}`;
  const lines = [
    `${plural(start.rows, "row")}, ${plural(start.trainedTokens, "trained token")} of ${formatCount(start.tokens)}; ${learning}${from === 0 ? "" : `, ${from} done before`}`,
  ];
  if (heldOutLoss !== undefined) {
    lines.push(`Held-out loss at the start: ${formatNumber(heldOutLoss)} (${plural(heldOutRows, "row")})`);
  }
  if (cutRows > 0)
    lines.push(`${plural(cutRows, "row")} cut at the end; --max-tokens and the model's context say where.`);
  if (emptyRows > 0) lines.push(`${plural(emptyRows, "row")} left out: nothing in them is trained on.`);
  return lines;
}
