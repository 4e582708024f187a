import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { openUpdate } from "../../../../test/support/recipe-bench.ts";
import { actionForms } from "../walk/mind/action-form.ts";
import { appendOnly, withOpening } from "../walk/mind/prompter.ts";
import { createSkill } from "../skill/create-skill.ts";
import type { Analysis } from "../skill/skill.ts";
import { sectionTemplates } from "../skill/templates.ts";
import { skillOpening } from "../skill/injection.ts";
import type { JsonObject, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { probeTeacher, provenSkills, skillsByTask, trustedSkills } from "./probe.ts";

const injection = { template: sectionTemplates.compact };
const env = createCorridor({ rooms: 2, maxSteps: 3 });
const tasks: Task[] = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
const episode = (id: string, task: Task, success: boolean): Trajectory => ({
  id,
  task,
  group: task.id,
  steps: [],
  streams: [],
  ending: "terminated",
  reward: { kind: "scored", value: Number(success) },
  success,
  rewards: [],
  policy: { name: "p" },
});
const analysis = (trajectory: string, text: string): [string, Analysis] => {
  const episodeSkill = createSkill("episode", text, []);
  return [trajectory, { trajectory, outcome: "success", episodeSkill, stepSkills: new Map() }];
};

test("a workflow that succeeded comes before what a failure taught", () => {
  const [task, other] = tasks as [Task, Task];
  const episodes = [
    episode("a", task, false),
    episode("b", task, true),
    episode("c", task, true),
    episode("d", other, false),
  ];
  const found = skillsByTask(
    episodes,
    new Map([analysis("a", "warn"), analysis("b", "do"), analysis("c", "too late")]),
  );
  expect([...found].map(([id, { skill }]) => [id, skill])).toEqual([[task.id, "do"]]);
});

test("the skill stands in the first message only", () => {
  const prompter = withOpening(
    appendOnly,
    skillOpening(() => "go east", injection),
  )(tasks[0] as Task, actionForms.plain);
  const moment = { step: 0, observation: "Room 1.", action: undefined, admissible: () => undefined };
  const { message, next } = prompter.show(moment);
  expect(message.text).toBe("Room 1.\n\nSkill: [go east]");
  const heard = next.hear("go east").next;
  expect(heard.show({ ...moment, step: 1, observation: "Room 2." }).message.text).toBe("Room 2.");
});

test("a teacher that reads skills succeeds where they are given", async () => {
  // It goes east only when it has read so.
  const teacher = createScriptedPolicy({
    script: ({ text }) => (text.includes("Skill: [go east]") ? "go east" : "wait"),
  });
  const { update, record, model } = await openUpdate("opid", { env, teacherPolicy: () => teacher });
  expect(await probeTeacher(update, 1)).toBeUndefined();
  const [task, other] = tasks as [Task, Task];
  record.episodes.push(episode("a", task, true), episode("b", other, true));
  for (const [id, one] of [analysis("a", "go east"), analysis("b", "go west")]) record.analyses.set(id, one);
  expect(await probeTeacher(update, 1)).toMatchObject({ tasks: 2, solved: 1 });
  // One step east, and three that waited in vain.
  expect(update.ledger.cost.environmentSteps).toBe(1 + 3);
  await model.close();
});

test("skills help where the teacher solves more with them than the group did without", async () => {
  const three = [...(env.tasks("train", { count: 3 }) as Iterable<Task>)] as [Task, Task, Task];
  const teacher = createScriptedPolicy({
    script: ({ text }) => (text.includes("Skill: [go east]") ? "go east" : "wait"),
  });
  const { update, record, model } = await openUpdate("opid", { env, teacherPolicy: () => teacher });
  const episodes = [
    // Half of them arrived, and with the skill all do.
    episode("a", three[0], true),
    episode("b", three[0], false),
    // None arrived, and with the skill none does.
    episode("c", three[1], false),
    // All arrived: nothing could help, and nobody tries.
    episode("d", three[2], true),
  ];
  const analyses = new Map([analysis("a", "go east"), analysis("b", "warn"), analysis("c", "go west"), analysis("d", "go east")]); // prettier-ignore
  expect([...(await provenSkills(update, episodes, analyses, 2)).keys()]).toEqual(["a", "b"]);
  expect(record.metrics).toMatchObject({ "replay/tasks": 2, "replay/helpful": 1, "replay/success": 0.5 });
  // Two tries of a step each, and two of three steps in vain.
  expect(update.ledger.cost.environmentSteps).toBe(2 * 1 + 2 * 3);
  await model.close();
});

test("a teacher is trusted after a trial in which it solves more than the policy did, until the next trial", async () => {
  const teacher = createScriptedPolicy({
    script: ({ text }) => (text.includes("Skill: [go east]") ? "go east" : "wait"),
  });
  const [task, other] = tasks as [Task, Task];
  const episodes = [episode("a", task, true), episode("b", task, false), episode("c", other, false)];
  const tried = async (update: number, kept: JsonObject | null, text: string) => {
    const opened = await openUpdate("opid", { env, teacherPolicy: () => teacher, update, kept });
    const analyses = new Map([analysis("a", text), analysis("c", "warn")]);
    const { size } = await trustedSkills(opened.update, episodes, analyses, 5);
    const { environmentSteps: steps } = opened.update.ledger.cost;
    const { kept: left, metrics } = opened.record;
    await opened.model.close();
    return { size, steps, left, metrics };
  };
  // The policy solved a half of one task and none of the other, 0.25; the teacher solves the first by its skill, 0.5.
  const helped = await tried(1, null, "go east");
  expect(helped).toMatchObject({ size: 2, steps: 1 + 3, left: { trial: { update: 1, helps: true } } });
  expect(helped.metrics).toMatchObject({ "trial/teacher": 0.5, "trial/policy": 0.25, "trial/helps": 1 });
  // Its word stands for five updates; then it is tried again, and what else is kept stays.
  expect(await tried(5, helped.left, "go west")).toMatchObject({ size: 2, steps: 0, left: helped.left });
  const failed = await tried(6, { ...helped.left, other: 1 }, "go west");
  expect(failed).toMatchObject({ size: 0, steps: 6, left: { other: 1, trial: { update: 6, helps: false } } });
  expect(await tried(7, failed.left, "go east")).toMatchObject({ size: 0, steps: 0 });
});
