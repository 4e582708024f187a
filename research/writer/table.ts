/**
 * The figures of card.ts as tables for the card: `tsx research/writer/table.ts FOLDER`, where FOLDER holds `card-WORLD.json`.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { wilson } from "limbeck/eval";

interface Count {
  readonly asked: number;
  readonly usable: number;
  readonly checked: number;
  readonly true: number;
}

interface Lifted {
  readonly tasks: number;
  readonly success: { readonly skill: number; readonly bare: number; readonly placebo: number };
  readonly helped: number;
  readonly harmed: number;
  readonly verdict: string;
}

interface Card {
  readonly world: string;
  readonly groups: number;
  readonly tally: Readonly<Record<string, Count>>;
  readonly confusion: Readonly<Record<string, number>>;
  readonly lift?: Readonly<Record<"writer" | "template", Lifted>>;
}

const KINDS = [
  "skill",
  "skill as it is delivered",
  "skill of the template",
  "hint",
  "hint of the template",
  "reflection",
  "reflection: the step is the first wrong one",
  "correction",
  "reason",
  "verdict",
  "critique",
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the cards.");
const cards: Card[] = [];
for (const name of (await readdir(folder)).filter((one) => /^card-\w+\.json$/.test(one)).toSorted()) {
  const text = await readFile(join(folder, name), "utf8");
  if (text.trim() !== "") cards.push(JSON.parse(text) as Card);
}
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const shown = (count: Count | undefined): string =>
  count === undefined || count.checked === 0 ? "" : `${percent(count.true / count.checked)} of ${count.checked}`;

say("| what | not refused | true, of these | 95 % |");
say("| --- | --- | --- | --- |");
for (const kind of KINDS) {
  const counts = cards.flatMap(({ tally }) => tally[kind] ?? []);
  if (counts.length === 0) continue;
  const sum = (of: keyof Count): number => counts.reduce((total, one) => total + one[of], 0);
  const { low, high } = wilson(sum("true"), sum("checked"));
  say(
    `| ${kind} | ${sum("usable")} of ${sum("asked")} | ${percent(sum("true") / Math.max(1, sum("checked")))} | ${percent(low)} to ${percent(high)} |`,
  );
}
say("");
say(
  "| world | skill | with the template's where refused | template's skill | hint | template's hint | reflection | correction | reason | verdict | critique |",
);
say("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const { world, tally } of cards) {
  const cells = KINDS.filter((kind) => !kind.includes(":")).map((kind) => shown(tally[kind]));
  say(`| ${world} | ${cells.join(" | ")} |`);
}
say("");
say("| world | who | tasks | without | placebo | with | helped | harmed | verdict |");
say("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const { world, lift } of cards) {
  for (const [who, own] of Object.entries(lift ?? {})) {
    const { bare, placebo, skill } = own.success;
    say(
      `| ${world} | ${who} | ${own.tasks} | ${percent(bare)} | ${percent(placebo)} | ${percent(skill)} | ${own.helped} | ${own.harmed} | ${own.verdict} |`,
    );
  }
}
const confusion: Record<string, number> = {};
for (const card of cards) {
  for (const [what, count] of Object.entries(card.confusion)) confusion[what] = (confusion[what] ?? 0) + count;
}
say("");
say(`Verdicts: ${JSON.stringify(confusion)}`);
