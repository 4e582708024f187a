/** One method for a person or a program, with its example computed on the spot. */
import type { Confidence } from "../../base/index.ts";
import { namesFile } from "../../base/parts/part.ts";
import { defaultText } from "../../base/options.ts";
import { assignCredit, batchFromJson, getCredit, type Example } from "../../credit/index.ts";
import { resultToJson } from "../../credit/batch-json.ts";
import { unlearnedWorlds } from "../../training/unlearned.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable, right } from "../look/table.ts";
import { wrap } from "../look/text-width.ts";
import { allEntries, findEntry, type Method } from "./all-methods.ts";
import { creditLines } from "./credit-lines.ts";
import { givenPart, ownEntry } from "./own-entry.ts";

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  code: "follows published code",
  paper: "follows the paper; there is no published code",
  inferred: "experimental: follows an abstract; the constants are ours",
  practice: "common practice; there is no single source",
};

const LIVES = "Lives on ratios to the old policy, which one step an update leaves at 1. ";
const REPEATS = "It lives on tasks that come again: a training with it has 64 of them by default (tasks.pool).";

/** How a training is told of it. */
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

export async function explainMethod(invocation: Invocation): Promise<number> {
  const entries = await allEntries();
  const asked = invocation.positionals[0] ?? "";
  const method = namesFile(asked) ? ownEntry(await givenPart(invocation)) : findEntry(entries, asked);
  const namesakes = entries.filter(({ id, room }) => id === method.id && room !== method.room);
  if (invocation.json) {
    const { example, ...rest } = method;
    const worked =
      example === undefined
        ? {}
        : { example: { ...example, result: resultToJson(method.id, ...work(method, example)) } };
    invocation.printJson({ ...rest, unlearned: unlearnedWorlds(method.room, method.id), ...worked });
  } else printMethod(invocation, method, namesakes);
  return EXIT.done;
}

function work(method: Method, example: Example) {
  const batch = batchFromJson(example.batch);
  return [batch, assignCredit(getCredit(method.id), batch, example.options)] as const;
}

function printMethod(invocation: Invocation, method: Method, namesakes: readonly Method[]): void {
  const { style, io } = invocation;
  const columns = Math.min(io.terminal.out ? io.terminal.columns : 100, 110);
  const paragraph = (text: string, indent = "  ", first = indent): void => {
    for (const [at, line] of wrap(text, columns - indent.length).entries()) {
      invocation.print(`${at === 0 ? first : indent}${line}`);
    }
  };
  const heading = (text: string): void => {
    invocation.print();
    invocation.print(style.bold(text));
  };
  invocation.print(`${style.bold(method.title)}  ${style.dim(`${method.id}, room ${method.room}, ${method.file}`)}`);
  for (const { id, room } of namesakes) paragraph(`Also a method of ${room}: limbeck explain ${room}/${id}`, "");
  paragraph(method.meaning, "");
  const { paper, confidence, formula = [], departures } = method;
  if (paper !== undefined && confidence !== undefined) paragraph(`${paper} (${CONFIDENCE[confidence]})`, "");
  if (formula.length > 0) heading("Formula");
  for (const line of formula) invocation.print(`  ${line}`);
  const sometimes = Object.entries(method.mayNeed).map(([field, when]) => `${field} (${when})`);
  const needs = [...method.needs, ...sometimes].join(", ") || NOTHING[method.room];
  if (needs !== undefined) {
    heading("Needs");
    paragraph(needs);
  }
  const { effect, repeats } = method;
  if (effect !== undefined) {
    heading("Effect");
    paragraph(`${effect.metric} counts ${effect.counts}.${repeats === true ? ` ${REPEATS}` : ""}`);
  }
  const use = IN_TRAINING[method.room];
  if (use !== undefined) {
    heading("In a training");
    paragraph(`limbeck train ${use} ${method.id}`);
  }
  if (method.options.length > 0) {
    heading("Options");
    printOptions(invocation, method);
  }
  if (method.takes !== undefined) {
    heading("In a training");
    paragraph(`${method.ratios === true ? LIVES : ""}Default: ${method.takes.join(", ")}.`);
  }
  const unlearned = unlearnedWorlds(method.room, method.id);
  if (unlearned.length > 0) heading("Has unlearned, at its defaults");
  for (const world of unlearned) paragraph(`${world} (docs/matrix.md)`);
  if (method.example !== undefined) {
    heading("Example, computed now");
    printExample(invocation, method, method.example);
  }
  if (departures === undefined) return;
  heading("Departures");
  for (const departure of departures) paragraph(departure, "    ", "  - ");
  if (departures.length === 0) invocation.print("  none");
}

function printOptions(invocation: Invocation, method: Method): void {
  printTable(
    invocation,
    [{ title: "option", paint: invocation.style.cyan }, right("default"), "takes", "meaning"],
    method.options.map(({ name, default: standard, allowed, meaning }) => [
      name,
      defaultText(standard),
      allowed,
      meaning,
    ]),
    { indent: "  " },
  );
}

function printExample({ style, print }: Invocation, method: Method, example: Example): void {
  const settings = Object.entries(example.options ?? {}).map(([key, value]) => `${key}=${String(value)}`);
  print(`  ${example.about}${settings.length === 0 ? "" : ` With ${settings.join(", ")}.`}`);
  for (const line of creditLines(...work(method, example), { style })) print(`  ${line}`);
}
