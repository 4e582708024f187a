/**
 * Skills of the packaged writer about groups that no card was made of, asked and checked as the engine does, beside the template's.
 *
 *     tsx research/writer/fresh.ts household,archive 90
 *
 * Worlds, and seconds for each. Prints the counts so far as JSON lines; the last one of a world counts.
 */
import { fileURLToPath } from "node:url";
import { createRng, type Trajectory, createChatDialect, openModel } from "limbeck";
import { requireTokenizer } from "limbeck/local";
import { briefQuestion } from "../../packages/core/src/skill/writer/brief.ts";
import { createPolicyWriter } from "../../packages/core/src/skill/writer/open-writer.ts";
import { createStatisticsAnalyst } from "limbeck/skill";
import { readBriefAnswer } from "../../packages/core/src/skill/writer/brief-answer.ts";
import { checkerOf } from "./check.ts";
import { examplesOf, study } from "./examples.ts";
import { hasModel, modelGroups, plantedGroup } from "./groups.ts";
import { openWorlds, type WriterWorld } from "./worlds.ts";

const WRITER = fileURLToPath(new URL("../../packages/writer-model", import.meta.url));
const AT_ONCE = 4;
const MOST_TASKS = 64;

const [ids = "household", seconds = "60"] = process.argv.slice(2);
const model = await openModel(WRITER, { threads: 1 });
const dialect = await createChatDialect(requireTokenizer(model));
// The answer as it was given: what the engine makes of it is counted below.
const writer = await createPolicyWriter({ policy: () => model, dialect }, { questionOf: briefQuestion, attempts: 1 });
for (const world of await openWorlds(ids.split(","))) await measure(world);
await model.close();

async function measure(world: WriterWorld): Promise<void> {
  const count = { asked: 0, kept: 0, true: 0, hints: 0, hintsTrue: 0, template: 0, delivered: 0 };
  const until = Date.now() + 1_000 * Number(seconds);
  const size = world.env.splits["test"] ?? Number.POSITIVE_INFINITY;
  // The card took the first tasks of the split.
  const first = Number.isFinite(size) ? Math.floor(size / 3) : 1_000;
  for (let task = first; Date.now() < until && task < first + MOST_TASKS; task += AT_ONCE) {
    for (const group of await groupsFrom(world, task)) await note(group);
    process.stdout.write(`${world.id} ${JSON.stringify(count)}\n`);
  }

  async function note(group: readonly Trajectory[]): Promise<void> {
    const studied = await study(world, group);
    const focus = group.find(({ success }) => success !== true) ?? group[0];
    if (studied === undefined || focus === undefined) return;
    const examples = await examplesOf(studied, createRng(`fresh ${focus.id}`), { only: focus.id });
    const example = examples.find(({ kind }) => kind === "skill");
    if (example === undefined) return;
    const { brief, most = 0 } = example;
    const asked = { kind: "skill", wanted: "", material: [], brief, maxTokens: 256 } as const;
    const { value: told = "" } = await writer.write<string>({ ...asked, read: (text) => text });
    const checker = await checkerOf(studied.ground, focus, group);
    const select = ({ id }: Trajectory): boolean => id === focus.id;
    const [analysis] = await createStatisticsAnalyst().analyse(group, { maxStepSkills: most, select });
    const template = (await checker.episode(analysis?.episodeSkill?.text ?? "")) === true;
    const said = readBriefAnswer(example, told);
    count.asked += 1;
    if (template) count.template += 1;
    if (said === undefined && template) count.delivered += 1;
    if (said === undefined) return;
    count.kept += 1;
    const { episode_skill: skill, step_skills: hints } = JSON.parse(said) as {
      episode_skill: string;
      step_skills: Record<string, string>;
    };
    if ((await checker.episode(skill)) === true) {
      count.true += 1;
      count.delivered += 1;
    }
    for (const [at, hint] of Object.entries(hints)) {
      count.hints += 1;
      if ((await checker.step(Number(at), hint)) === true) count.hintsTrue += 1;
    }
  }
}

async function groupsFrom(world: WriterWorld, offset: number): Promise<Trajectory[][]> {
  if (hasModel(world)) return await modelGroups(world, { split: "test", offset, tasks: AT_ONCE });
  const numbers = Array.from({ length: AT_ONCE }, (_, at) => offset + at);
  return await Promise.all(
    numbers.map((number) => plantedGroup(world, { split: "test", number, name: `fresh ${number}` })),
  );
}
