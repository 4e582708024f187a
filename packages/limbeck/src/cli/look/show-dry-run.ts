/** A dry run of a world for people and programs: who earned what, what was found, and how long answers took. */
import type { JsonObject } from "limbeck-base/base/json";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatDuration, formatNumber, plural } from "limbeck-base/base/units";
import { dryRun } from "limbeck-core/env/dry-run";
import { givenTasks, givenWorld } from "../../run/given-parts.ts";
import type { Frame } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { printTable, right } from "./table.ts";

interface DryRunInput {
  readonly env: string | undefined;
  readonly options: JsonObject;
  readonly tasks: number;
  readonly answers: readonly string[];
  readonly seconds: number;
}

export async function showDryRun(input: DryRunInput, frame: Frame<object>): Promise<number> {
  const { world, env } = await givenWorld("check", { env: input.env, envOptions: input.options }, frame);
  const [split = "train"] = Object.keys(env.splits);
  const tasks = await givenTasks(env, "rollout", { split, offset: 0, tasks: input.tasks, signal: frame.signal });
  const { answers, seconds } = input;
  const limitMs = seconds * 1_000;
  const run = await dryRun({ env, tasks, demonstrators: world.demonstrators, answers, limitMs });
  for (const player of run.players) frame.emit({ ...player });
  for (const finding of run.findings) frame.emit({ ...finding });
  const faults = run.findings.filter(({ fault }) => fault).length;
  const { moments, listed, shortest, longest, slowestMs } = run;
  frame.emit({ moments, listed, shortest, longest, slowestMs, failed: faults });
  if (!frame.json) {
    const number = (value: number | null): string => (value === null ? "none" : formatNumber(value));
    printTable(
      frame,
      ["player", right("episodes"), right("solved"), right("least reward"), right("most"), right("steps"), right("refused")], // prettier-ignore
      run.players.map(({ player, episodes, solved, least, most, steps, refused }) => [
        player,
        `${episodes}`,
        solved === null ? "unsaid" : `${solved}`,
        number(least),
        number(most),
        `${steps}`,
        `${refused}`,
      ]),
    );
    frame.print();
    const lengths = shortest === null ? "" : `, of ${shortest} to ${longest} actions`;
    frame.print(`Lists of actions at ${listed} of ${plural(moments, "moment")}${lengths}. Slowest answer: ${formatDuration(slowestMs)}.`); // prettier-ignore
    for (const { about, fault, message } of run.findings)
      frame.print(`${fault ? "✗" : "!"} ${about}: ${cleanLine(message)}`);
    frame.print(faults === 0 ? "Nothing stands against a training." : `${plural(faults, "fault")} found.`);
  }
  return faults === 0 ? EXIT.done : EXIT.failed;
}
