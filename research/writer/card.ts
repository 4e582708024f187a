/**
 * The figures of the writer's card, of one world: how often what it wrote is true, and whether it helps, beside the template.
 *
 *     tsx research/writer/card.ts DATA --world household --seconds 110 --out FILE
 *
 * DATA holds held-out groups with the questions about them (ask.ts) and the writer's answers (train.py).
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createRng, type Task, type Trajectory } from "limbeck";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { measureLift } from "limbeck/eval";
import { loadTokenizer } from "limbeck/local";
import { createStatisticsAnalyst } from "limbeck/skill";
import { readBriefAnswer } from "../../packages/core/src/skill/writer/brief-answer.ts";
import { playTask } from "../starting-model/evaluate.ts";
import { checkerOf } from "./check.ts";
import type { Asked } from "./ask.ts";
import { openOwnModel } from "./own-model.ts";
import { groundOf } from "./truth.ts";
import { openWorlds, type WriterWorld } from "./worlds.ts";

const BASE = fileURLToPath(new URL("../../packages/base-model", import.meta.url));

/** Of each thing: how many were written, could be read, could be checked, were true. */
class Tally {
  readonly counts: Record<string, { asked: number; usable: number; checked: number; true: number }> = {};
  note(what: string, usable: boolean, isTrue: boolean | undefined): void {
    const own = (this.counts[what] ??= { asked: 0, usable: 0, checked: 0, true: 0 });
    own.asked += 1;
    if (usable) own.usable += 1;
    if (isTrue !== undefined) own.checked += 1;
    if (isTrue === true) own.true += 1;
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    world: { type: "string", default: "household" },
    seconds: { type: "string", default: "110" },
    out: { type: "string", default: "card.json" },
  },
});
const [data] = positionals;
if (data === undefined) throw new Error("Name the folder of the questions.");
const until = Date.now() + 1_000 * Number(values.seconds);
/** The rest of the time is for the lift. */
const checksUntil = Date.now() + 500 * Number(values.seconds);
const [world] = (await openWorlds([values.world])) as [WriterWorld];
const tokenizer = await loadTokenizer(BASE);
const lines = (text: string): string[] => text.split("\n").filter(Boolean);
const answers = new Map<string, string>();
for (const line of lines(await readFile(join(data, "answers.jsonl"), "utf8"))) {
  const { file, row, ids } = JSON.parse(line) as { file: string; row: number; ids: number[] };
  answers.set(`${file} ${row}`, tokenizer.decode(ids).trim());
}
const tally = new Tally();
const confusion: Record<string, number> = {};
const texts = { writer: new Map<string, string>(), template: new Map<string, string>() };
const tasks = new Map<string, Task>();
const samples: unknown[] = [];
for (const name of (await readdir(data))
  .filter((one) => one.startsWith(`ask-${world.id}-`) && one.endsWith(".jsonl"))
  .sort()) {
  let row = 0;
  for (const line of lines(await readFile(join(data, name), "utf8"))) {
    const asked = JSON.parse(line) as Asked;
    const first = row;
    row += asked.examples.length;
    if (Date.now() < checksUntil)
      await checkGroup(asked, (at) => answers.get(`${name.replace(/\.jsonl$/, "")} ${first + at}`));
  }
}
// What is known is kept before the longer part begins.
const figures = { world: world.id, groups: tasks.size, tally: tally.counts, confusion, samples };
await writeFile(values.out, JSON.stringify(figures, undefined, 1));
await writeFile(values.out, JSON.stringify({ ...figures, lift: await measureLifts() }, undefined, 1));

async function checkGroup({ group, examples }: Asked, answerOf: (at: number) => string | undefined): Promise<void> {
  const [one] = group as [Trajectory];
  const ground = groundOf(world, one.task);
  for (const [at, example] of examples.entries()) {
    const { kind, trajectory, step = 0, most = 0 } = example;
    const told = answerOf(at);
    const own = group.find(({ id }) => id === trajectory);
    if (told === undefined || own === undefined) continue;
    const checker = await checkerOf(ground, own, group);
    // What the engine makes of it; undefined where it is refused and a template writes.
    const said = readBriefAnswer(example, told);
    const answer = readBriefAnswer(example, example.answer) ?? "";
    if (samples.length < 18) samples.push({ kind, told, label: example.answer, said });
    const usable = said !== undefined;
    if (kind === "verdict") {
      tally.note(kind, usable, usable ? said === answer : undefined);
      const called = `${answer} called ${said ?? "nothing"}`;
      confusion[called] = (confusion[called] ?? 0) + 1;
    } else if (kind === "critique") {
      tally.note(kind, usable, usable ? said.split(",")[0] === answer.split(",")[0] : undefined);
    } else if (kind === "correction") tally.note(kind, usable, usable ? await checker.helps(step, said) : undefined);
    else if (kind === "reason") {
      tally.note(kind, usable, usable ? flawsOf(told) === flawsOf(example.answer) : undefined);
    } else if (kind === "reflection") {
      const { step: named, guidance } = parsed(said ?? "");
      const found = typeof named === "number" && typeof guidance === "string";
      tally.note(kind, found, found ? await checker.step(named, guidance) : undefined);
      if (found) tally.note("reflection: the step is the first wrong one", true, named === parsed(answer)["step"]);
    } else {
      tasks.set(own.task.id, own.task);
      const { episode_skill: skill, step_skills: hints } = parsed(said ?? "");
      const isTrue = typeof skill === "string" ? await checker.episode(skill) : undefined;
      tally.note("skill", usable, isTrue);
      for (const [index, text] of Object.entries(hints ?? {})) {
        tally.note("hint", true, await checker.step(Number(index), String(text)));
      }
      const [analysis] = await createStatisticsAnalyst().analyse(group, {
        maxStepSkills: most,
        select: ({ id }) => id === own.id,
      });
      const template = analysis?.episodeSkill?.text;
      const templateIsTrue = template === undefined ? undefined : await checker.episode(template);
      tally.note("skill of the template", template !== undefined, templateIsTrue);
      // With the template where the writer was refused, as users get it.
      tally.note("skill as it is delivered", usable || template !== undefined, usable ? isTrue : templateIsTrue);
      const delivered = typeof skill === "string" ? skill : template;
      if (delivered !== undefined) texts.writer.set(own.task.id, delivered);
      if (template !== undefined) texts.template.set(own.task.id, template);
      for (const [index, { text }] of analysis?.stepSkills ?? []) {
        tally.note("hint of the template", true, await checker.step(index, text));
      }
    }
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What a reason says of each action, whatever its words. */
function flawsOf(reason: string): string {
  const kinds: Readonly<Record<string, string>> = {
    "is refused": "refused",
    "is not accepted": "refused",
    "changes nothing": "useless",
    "has no effect": "useless",
    "loses the game": "lost",
    "ends it badly": "lost",
    "brings nothing nearer": "slow",
    "is a detour": "slow",
  };
  const found = [...reason.matchAll(new RegExp(`"([^"]*)" (${Object.keys(kinds).join("|")})`, "g"))];
  return JSON.stringify([
    /"(.*?)"/.exec(reason)?.[1],
    found.map(({ 1: action, 2: flaw = "" }) => [action, kinds[flaw]]),
  ]);
}

/** Success of the world's own model on the same tasks, with each text and without. */
async function measureLifts() {
  const own = await openOwnModel(world);
  if (own === undefined) return undefined;
  const common = { ...own, seed: "lift", temperature: 0.4 };
  const known = new Map<string, number>();
  const play = async (task: Task, text: string | undefined): Promise<number> => {
    const key = JSON.stringify([task.id, text ?? null]);
    const skill = text === undefined ? {} : { skill: () => Promise.resolve(text) };
    const before = known.get(key);
    if (before !== undefined) return before;
    const { success } = await playTask({ ...common, condition: skill }, task, createRng(task.id));
    known.set(key, success === true ? 1 : 0);
    return success === true ? 1 : 0;
  };
  const both = [...tasks.values()].filter(({ id }) => texts.writer.has(id) && texts.template.has(id));
  const result: Record<string, unknown> = {};
  // As many tasks as there is time for: the first eight show how long one takes.
  const trial = Date.now();
  await mapLimit(both.slice(0, 8), 8, (task) => play(task, undefined));
  const perEight = Math.max(1, Date.now() - trial);
  const room = Math.max(8, Math.floor((Math.max(0, until - Date.now()) / (6 * perEight)) * 8));
  const used = both.slice(0, room);
  for (const [who, own] of Object.entries(texts)) {
    const measured = await measureLift({
      tasks: used,
      textFor: ({ id }) => own.get(id),
      countTokens: (text) => tokenizer.encode(text).length,
      run: (some, textFor) => mapLimit(some, 32, (task) => play(task, textFor(task))),
    });
    const { success, overBare, overPlacebo, verdict } = measured;
    const turned = (from: number, to: number): number =>
      used.filter(
        (task) =>
          known.get(JSON.stringify([task.id, null])) === from &&
          known.get(JSON.stringify([task.id, own.get(task.id)])) === to,
      ).length;
    result[who] = {
      tasks: used.length,
      success,
      overBare,
      overPlacebo,
      verdict,
      helped: turned(0, 1),
      harmed: turned(1, 0),
    };
  }
  await own.policy.close();
  return result;
}
