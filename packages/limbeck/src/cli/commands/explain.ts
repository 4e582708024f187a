/** `limbeck explain`: one method, with its formula, its defaults and an example that is computed on the spot. */
import type { Confidence } from "limbeck-base/base/method-info";
import { input } from "limbeck-base/base/input";
import { defaultText } from "limbeck-base/base/options";
import { namesFile } from "limbeck-base/base/parts/part";
import type { CreditBatch } from "limbeck-core/credit/row";
import type { CreditResult } from "limbeck-core/credit/credit";
import type { Invocation } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import { printTable, right } from "../look/table.ts";
import { wrap } from "../look/text-width.ts";
import type { Method } from "../methods/all-methods.ts";
import { creditLines } from "../methods/credit-lines.ts";
import { methodFacts } from "./methods.ts";

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  code: "follows published code",
  paper: "follows the paper; there is no published code",
  reading: "experimental: follows a third party's reading of the paper",
  inferred: "experimental: follows an abstract; the constants are ours",
  practice: "common practice; there is no single source",
};

const LIVES = "Lives on ratios to the old policy, which one step an update leaves at 1. ";
const REPEATS = " It lives on tasks that come again: a training with it has 64 of them by default (tasks.pool).";

/** The option of a training that names it. */
const IN_TRAINING: Readonly<Record<string, string>> = {
  reward: "--reward",
  credit: "--credit",
  rollout: "--strategy",
  search: "--collect",
  recipe: "--recipe",
  env: "--env",
  agent: "--policy",
};

/** What a method without needs works on. */
const NOTHING: Readonly<Record<string, string>> = {
  credit: "nothing but outcomes",
  reward: "nothing but trajectories",
  rollout: "nothing but tasks",
  search: "nothing but a task",
  objective: "nothing but outcomes",
};

export const explain = defineCommand({
  group: "look",
  summary: "Explain one method, recipe, world or teacher: formula, options, a worked example, departures",
  input: { name: input.path("NAME|FILE", "What is explained", { at: 0, required: true }) },
  examples: ["limbeck explain opid", "limbeck explain gigpo --json", "limbeck explain ./world.ts"],
  line: {
    ...methodFacts,
    room: "registry: credit, reward, objective, rollout, search, recipe, env, teacher, ...",
    formula: "lines of plain text",
    options: "name, default, allowed values and meaning of each option",
    departures: "where it departs from what was published, and what was published in more than one way",
    file: "where it is",
    effect: "strategies: the metric that says whether it did anything, and what it counts",
    repeats: "strategies: true where it lives on tasks that come again",
    example: "about, batch (a file for limbeck credit --in), options and the result; credit methods only",
  },
  run: async ({ name }, frame) => {
    const { allEntries, findEntry, ownEntry } = await import("../methods/all-methods.ts");
    const { loadPart } = await import("limbeck-base/base/parts/load-part");
    const { unlearnedWorlds } = await import("limbeck-training/training/unlearned");
    const { resultToJson } = await import("limbeck-core/credit/batch-json");
    const { assignCredit } = await import("limbeck-core/credit/assign");
    const { batchFromJson } = await import("limbeck-core/credit/batch-json");
    const { getCredit } = await import("limbeck-core/credit/registry");
    const entries = await allEntries();
    const method = namesFile(name) ? ownEntry(await loadPart(name, { cwd: frame.cwd })) : findEntry(entries, name);
    const { id, room, example, ...rest } = method;
    const unlearned = unlearnedWorlds(room, id);
    const batch = example && batchFromJson(example.batch);
    const result = batch && assignCredit(getCredit(id), batch, example.options);
    const worked = batch && result && { example: { ...example, result: resultToJson(id, batch, result) } };
    frame.emit({ id, room, ...rest, unlearned, ...worked });
    if (frame.json) return;
    const namesakes = entries.filter((other) => other.id === id && other.room !== room);
    const also = namesakes.map((other) => `Also a method of ${other.room}: limbeck explain ${other.room}/${id}`);
    printMethod(frame, method, also, unlearned, batch && result && [batch, result]);
  },
});

function printMethod(
  invocation: Invocation,
  method: Method,
  also: readonly string[],
  unlearned: readonly string[],
  worked: readonly [CreditBatch, CreditResult] | undefined,
): void {
  const { style, io, print } = invocation;
  const columns = Math.min(io.terminal.out ? io.terminal.columns : 100, 110);
  const paragraph = (text: string, indent = "  ", first = indent): void => {
    for (const [at, line] of wrap(text, columns - indent.length).entries())
      print(`${at === 0 ? first : indent}${line}`);
  };
  const heading = (title: string, ...paragraphs: readonly string[]): void => {
    print();
    print(style.bold(title));
    for (const text of paragraphs) paragraph(text);
  };
  const { id, title, room, file, paper, confidence, source, formula = [], departures, effect, takes, example } = method;
  print(`${style.bold(title)}  ${style.dim(`${id}, room ${room}, ${file}`)}`);
  for (const text of [...also, method.meaning]) paragraph(text, "");
  if (paper !== undefined && confidence !== undefined) paragraph(`${paper} (${CONFIDENCE[confidence]})`, "");
  if (source !== undefined) paragraph(`Read: ${source}`, "");
  if (formula.length > 0) heading("Formula");
  for (const line of formula) print(`  ${line}`);
  const sometimes = Object.entries(method.mayNeed).map(([field, when]) => `${field} (${when})`);
  const needs = [...method.needs, ...sometimes].join(", ") || NOTHING[room];
  if (needs !== undefined) heading("Needs", needs);
  const repeats = method.repeats === true ? REPEATS : "";
  if (effect !== undefined) heading("Effect", `${effect.metric} counts ${effect.counts}.${repeats}`);
  const use = IN_TRAINING[room];
  if (use !== undefined) heading("In a training", `limbeck train ${use} ${id}`);
  if (method.options.length > 0) {
    heading("Options");
    const columns = [{ title: "option", paint: style.cyan }, right("default"), "takes", "meaning"];
    const rows = method.options.map((one) => [one.name, defaultText(one.default), one.allowed, one.meaning]);
    printTable(invocation, columns, rows, { indent: "  " });
  }
  if (takes !== undefined) {
    heading("In a training", `${method.ratios === true ? LIVES : ""}Default: ${takes.join(", ")}.`);
  }
  if (unlearned.length > 0) {
    heading(
      "Has unlearned, at its defaults",
      ...unlearned.map((world) => `${world} (docs/evidence/generated/matrix.md)`),
    );
  }
  if (example !== undefined && worked !== undefined) {
    heading("Example, computed now");
    const settings = Object.entries(example.options ?? {}).map(([key, value]) => `${key}=${String(value)}`);
    print(`  ${example.about}${settings.length === 0 ? "" : ` With ${settings.join(", ")}.`}`);
    for (const line of creditLines(...worked, { style })) print(`  ${line}`);
  }
  if (departures === undefined) return;
  heading("Departures");
  for (const departure of departures) paragraph(departure, "    ", "  - ");
  if (departures.length === 0) print("  none");
}
