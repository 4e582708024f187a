/**
 * What the real agent traces yield, written as docs/evidence/generated/skills-from-traces.md: npx tsx research/skills-from-traces.ts
 * The traces are read from ../shared/data and are no part of this repository; what is written here are counts and the
 * skills that the engine made of them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { wilson } from "limbeck/eval";
import { createStatisticsAnalyst, extractSkills } from "limbeck/skill";
import { groundedness } from "../packages/core/src/skill/extract/groundedness.ts";
import type { Extraction } from "../packages/core/src/skill/extract/extract.ts";
import type { NewSkill } from "../packages/core/src/skill/library/library.ts";
import { scored, type Step, type Trajectory } from "limbeck";

const TRACES = new URL("../../shared/data/alfworld/agent-traces.jsonl", import.meta.url);
const PAGE = new URL("../docs/evidence/generated/skills-from-traces.md", import.meta.url);

const TraceSchema = z.object({
  traj_uid: z.string(),
  task: z.string(),
  outcome: z.enum(["success", "failure"]),
  steps: z.array(z.object({ observation: z.string(), action: z.string() })),
});
type Trace = z.infer<typeof TraceSchema>;

/** Commands of the world that a text names, in order: the most that can be read out of thoughts. */
const COMMAND =
  /\b(?:go to|open|take|move|put|clean|heat|cool|use) [a-z]+ \d+(?: (?:from|in\/on|in|on|to|with) [a-z]+ \d+)?/g;

const ACTION = /<action>([\s\S]*?)<\/action>/g;

const thoughtsOf = ({ steps }: Trace): string => steps.map(({ action }) => action).join("\n");

function episode(trace: Trace, actions: readonly string[]): Trajectory {
  const success = trace.outcome === "success";
  const observation = trace.steps[0]?.observation ?? "";
  const reply = { role: "assistant" as const, content: thoughtsOf(trace) };
  const steps: Step[] = (actions.length === 0 ? [""] : actions).map((action, index) => ({
    index,
    observation: index === 0 ? observation : `${index}`,
    stateKey: `${trace.traj_uid} ${index}`,
    action,
    valid: true,
    reward: scored(0),
    ...(index === 0 ? { reply } : {}),
  }));
  return {
    id: trace.traj_uid,
    task: { id: trace.task, env: "alfworld", seed: 0, goal: trace.task, split: "train" },
    group: trace.task,
    steps,
    streams: [],
    ending: "terminated",
    reward: scored(success ? 1 : 0),
    success,
    rewards: [],
    policy: { name: "recorded" },
  };
}

function skillLines(skills: readonly NewSkill[]): string[] {
  return skills.map(({ text, when, status, evidence, support, groundedness: grounded }) => {
    const goals = when.goals.map((goal) => `\`${goal}\``).join(", ") || "every goal";
    const share = `${support.successes} of ${support.successes + support.failures}`;
    return `| ${text} | ${goals} | ${evidence.length} | ${share} | ${grounded ?? ""} | ${status} |`;
  });
}

function nothingLines({ nothing }: Extraction): string[] {
  return Object.entries(nothing).map(([why, count]) => `- ${count}: ${why}`);
}

const traces = (await readFile(TRACES, "utf8"))
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => TraceSchema.parse(JSON.parse(line)));
const done = traces.map((trace) =>
  episode(
    trace,
    [...thoughtsOf(trace).matchAll(ACTION)].map(([, action = ""]) => action),
  ),
);
const planned = traces.map((trace) => episode(trace, thoughtsOf(trace).match(COMMAND) ?? []));
const analyst = createStatisticsAnalyst();
const evidence = await extractSkills(done, { analyst });
const plans = await extractSkills(planned, { analyst });
const byId = new Map(done.map((trajectory) => [trajectory.id, trajectory]));
const unproven = plans.skills.map((skill): NewSkill => {
  const cited = skill.evidence.flatMap(({ trajectory }) => byId.get(trajectory) ?? []);
  return { ...skill, groundedness: Number(groundedness(skill.text, [], cited).toFixed(2)), status: "unproven" };
});
const carried = done.filter(({ steps }) => steps.some(({ action }) => action !== "")).length;
const named = planned.filter(({ steps }) => steps.some(({ action }) => action !== "")).length;
const won = traces.filter(({ outcome }) => outcome === "success").length;
const helped = traces.filter(({ steps }) => (steps[0]?.observation ?? "").includes("Retrieved Relevant Experience"));
const helpedWon = helped.filter(({ outcome }) => outcome === "success").length;
const share = (solved: number, all: number): string => {
  const { low, high } = wilson(solved, all);
  return `${solved} of ${all}, ${(solved / all).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
};
const table = [
  "| skill | goals | episodes | of its kind succeeded | groundedness | status |",
  "| --- | --- | ---: | ---: | ---: | --- |",
];

await writeFile(
  PAGE,
  [
    "# Skills from real agent traces",
    "",
    `${traces.length} episodes of a language-model agent in ALFWorld (${new Set(traces.map(({ task }) => task)).size} tasks, ${won} episodes succeeded), read with \`npx tsx research/skills-from-traces.ts\` on 2026-11-15. The traces themselves are not part of this repository. Written by the script; do not edit.`,
    "",
    "Each record holds one prompt (cut at 3,000 letters) and one answer (cut at 2,000), not the whole episode. What the agent",
    `did can be read in ${carried} of them; the others hold only the beginning of its thoughts. So the question is what may be learnt`,
    "from thoughts, and the answer here is: nothing that counts as proven.",
    "",
    "## From what was done",
    "",
    `${evidence.yielding} of ${evidence.episodes} episodes yield a skill; ${evidence.skills.length} skills.`,
    "",
    ...(evidence.skills.length === 0 ? [] : [...table, ...skillLines(evidence.skills), ""]),
    "The others gave nothing:",
    "",
    ...nothingLines(evidence),
    "",
    "## From what was said",
    "",
    `${named} answers name commands of the world. Taken as if they had been carried out, in the order in which they are named,`,
    `${plans.yielding} episodes yield ${unproven.length} skills. Groundedness (how much of a skill was carried out in its evidence, less what was only`,
    "said; -1 to 1) is what tells them from the real thing: none reaches the threshold of 0.5, so `limbeck skills extract` keeps",
    "such skills apart as unproven. They are never offered, and lift has to prove them like any other.",
    "",
    ...table,
    ...skillLines(unproven),
    "",
    "The others gave nothing:",
    "",
    ...nothingLines(plans),
    "",
    "## What skills in the prompt did in these traces",
    "",
    "Some of the prompts carry retrieved experience of another system. These are different moments of different episodes and no",
    "experiment, so the difference proves nothing; it is the kind of comparison that `limbeck lift` replaces.",
    "",
    `- with retrieved experience: ${share(helpedWon, helped.length)} succeeded`,
    `- without: ${share(won - helpedWon, traces.length - helped.length)}`,
    "",
  ].join("\n"),
);
process.stdout.write(
  `${evidence.skills.length} skills from deeds, ${unproven.length} from words; docs/evidence/generated/skills-from-traces.md is written.\n`,
);
