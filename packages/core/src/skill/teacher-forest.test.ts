import { beforeAll, expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import type { Dialect } from "limbeck-policy/policy/dialect";
import { trainBytePair } from "limbeck-policy/policy/local/byte-pair";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { createTokenizer, type Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSkill } from "./create-skill.ts";
import type { Analysis } from "./skill.ts";
import { buildTeacherForest, dropOldestStep, type TeacherForest, type TeacherForestOptions } from "./teacher-forest.ts";
import { sectionTemplates } from "./templates.ts";

let tokenizer: Tokenizer;
let dialect: Dialect;
beforeAll(async () => {
  tokenizer = await createTokenizer(trainBytePair(["You see a shelf 1. go to shelf 1"], { vocabularySize: 280 }));
  dialect = await createChatDialect(tokenizer);
});

const options: TeacherForestOptions = { episodeWeight: 1, stepWeight: 1, template: sectionTemplates.compact };
const OPENING = "A room.\nYour task is to: find a cup.";
const SAID = ["go to shelf 1", "look", "take cup 1"];
const SEEN = [OPENING, "You see a shelf 1.", "You see a cup 1."];

/** One growing conversation, recorded as a rollout does. */
function grown(more: Partial<Trajectory> = {}): Trajectory {
  const ids: number[] = [];
  const mask: number[] = [];
  const steps = SAID.map((action, index): Step => {
    const observation = SEEN[index] as string;
    const message = index === 0 ? dialect.opening(observation) : dialect.turn(observation);
    const answer = dialect.reply(action);
    const start = ids.length + message.length;
    ids.push(...message, ...answer);
    mask.push(...message.map(() => 0), ...answer.map(() => 1));
    return sampleStep(index, { observation, action, span: { stream: 0, start, end: ids.length } });
  });
  return sampleTrajectory("t", {
    steps,
    streams: [{ ids: Int32Array.from(ids), mask: Uint8Array.from(mask) }],
    ...more,
  });
}

/** One prompt per step, rebuilt each time. */
function rebuilt(prompts: readonly string[], more: Partial<Step> = {}): Trajectory {
  const streams = prompts.map((prompt, index) => {
    const message = dialect.opening(prompt);
    return { message, ids: Int32Array.from([...message, ...dialect.reply(SAID[index] as string)]) };
  });
  const steps = streams.map(({ message, ids }, index) =>
    sampleStep(index, {
      prompt: prompts[index] as string,
      action: SAID[index] as string,
      span: { stream: index, start: message.length, end: ids.length },
      ...more,
    }),
  );
  return sampleTrajectory("t", {
    steps,
    streams: streams.map(({ ids }) => ({ ids, mask: new Uint8Array(ids.length) })),
  });
}

const episodeSkill = createSkill("episode", "Look up.", []);
const stepSkill = createSkill("step", "Take it.", []);
const analysis = (critical: readonly number[] = [1]): Analysis => ({
  trajectory: "t",
  outcome: "failure",
  episodeSkill,
  stepSkills: new Map(critical.map((step) => [step, stepSkill])),
});

const grow = (trajectory: Trajectory, found: Analysis, more: Partial<TeacherForestOptions> = {}): TeacherForest =>
  buildTeacherForest(trajectory, found, dialect, { ...options, ...more });
const texts = (forest: TeacherForest): string[] =>
  forest.sequences.map(({ teacher, ids }) => `${teacher}: ${tokenizer.decode([...ids])}`);

/** What each sequence scores, step by step, as text. */
const scored = (forest: TeacherForest): string[][] =>
  forest.sequences.map(({ ids, positions, steps }) =>
    [...new Set(steps)].map((step) => {
      const tokens = [...positions].filter((_, at) => steps[at] === step).map((at) => ids[at] as number);
      return `${step} ${tokenizer.decode(tokens)}`;
    }),
  );

const user = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
const agent = (text: string) => `${text}<|im_end|>\n`;
const ENRICHED = `${OPENING}\n\nSkill: [Look up.]`;

test("a trunk with the episode skill and a leaf with the step skill, each in no other's context", () => {
  const forest = grow(grown(), analysis([1]));
  expect(texts(forest)).toEqual([
    `episode: ${user(ENRICHED)}${agent("go to shelf 1")}${user("You see a shelf 1.")}${agent("look")}${user("You see a cup 1.")}take cup 1<|im_end|>`,
    `step: ${user(OPENING)}${agent("go to shelf 1")}${user("You see a shelf 1.\n\nHint: [Take it.]")}look<|im_end|>`,
  ]);
  expect(scored(forest)).toEqual([["0 go to shelf 1<|im_end|>", "2 take cup 1<|im_end|>"], ["1 look<|im_end|>"]]);
  expect(forest.sequences.map(({ skills }) => skills)).toEqual([[episodeSkill.id], [stepSkill.id]]);
  expect(forest.lost).toEqual([]);
});

test("scored positions map back to the sampled tokens, and the mask marks them", () => {
  const trajectory = grown();
  const { ids: sampled } = trajectory.streams[0] as { ids: Int32Array };
  for (const mode of ["step_priority", "additive", "both_at_once", "episode_only", "step_only"] as const) {
    for (const { ids, mask, positions, steps, tokens } of grow(trajectory, analysis([0, 2]), { mode }).sequences) {
      const marked = [...mask].flatMap((one, at) => (one === 1 ? [at] : []));
      expect(marked).toEqual([...positions]);
      for (const [at, position] of positions.entries()) {
        const start = trajectory.steps[steps[at] as number]?.span?.start as number;
        expect(ids[position]).toBe(sampled[start + (tokens[at] as number)]);
      }
    }
  }
});

test("modes: additive scores a critical step twice, both at once puts both skills before it", () => {
  expect(scored(grow(grown(), analysis([1]), { mode: "additive" }))).toEqual([
    ["0 go to shelf 1<|im_end|>", "1 look<|im_end|>", "2 take cup 1<|im_end|>"],
    ["1 look<|im_end|>"],
  ]);
  const both = texts(grow(grown(), analysis([1]), { mode: "both_at_once" }));
  expect(both[1]).toBe(
    `step: ${user(ENRICHED)}${agent("go to shelf 1")}${user("You see a shelf 1.\n\nHint: [Take it.]")}look<|im_end|>`,
  );
  expect(texts(grow(grown(), analysis([1]), { mode: "episode_only" }))).toHaveLength(1);
  expect(scored(grow(grown(), analysis([1]), { mode: "step_only" }))).toEqual([["1 look<|im_end|>"]]);
});

test("the trunk ends with the last step that listens to it", () => {
  expect(texts(grow(grown(), analysis([1, 2])))[0]).toBe(`episode: ${user(ENRICHED)}go to shelf 1<|im_end|>`);
});

test("a skill for the first step goes into the opening", () => {
  expect(texts(grow(grown(), analysis([0])))[1]).toBe(
    `step: ${user(`${OPENING}\n\nHint: [Take it.]`)}go to shelf 1<|im_end|>`,
  );
});

test("failed analyses, blank skills and weights of 0 give nothing", () => {
  const empty = { sequences: [], lost: [], shortened: 0 };
  const error = { code: "analysis-no-object", message: "none" };
  expect(grow(grown(), { trajectory: "t", outcome: "failure", stepSkills: new Map(), error })).toEqual(empty);
  expect(grow(grown(), { trajectory: "t", outcome: "failure", stepSkills: new Map() })).toEqual(empty);
  expect(grow(grown(), analysis(), { episodeWeight: 0, stepWeight: 0 })).toEqual(empty);
});

test("history is cut in whole steps; a row whose skill does not fit is lost and counted", () => {
  const whole = grow(grown(), analysis([2]));
  const leaf = whole.sequences[1]?.ids.length as number;
  const shorter = grow(grown(), analysis([2]), { maxTokens: leaf - 1 });
  // The first answer and the message after it are given up; question and answer still take turns.
  expect(texts(shorter)[1]).toBe(
    `step: ${user(OPENING)}${agent("look")}${user("You see a cup 1.\n\nHint: [Take it.]")}take cup 1<|im_end|>`,
  );
  expect(shorter.shortened).toBe(1);
  const tight = grow(grown(), analysis([2]), { maxTokens: 20 });
  expect(tight.sequences).toEqual([]);
  expect(tight.lost).toEqual([
    { step: 0, teacher: "episode", reason: "too-long" },
    { step: 1, teacher: "episode", reason: "too-long" },
    { step: 2, teacher: "step", reason: "too-long" },
  ]);
});

test("rows that the trunk has no room for get a shorter history with the skill still in front", () => {
  const trunk = grow(grown(), analysis([])).sequences[0]?.ids.length as number;
  const forest = grow(grown(), analysis([]), { maxTokens: trunk - 1 });
  expect(scored(forest)).toEqual([["0 go to shelf 1<|im_end|>", "1 look<|im_end|>"], ["2 take cup 1<|im_end|>"]]);
  expect(texts(forest)[1]).toBe(
    `episode: ${user(ENRICHED)}${agent("look")}${user("You see a cup 1.")}take cup 1<|im_end|>`,
  );
  expect(forest.lost).toEqual([]);
});

test("prompts rebuilt per step: one sequence each, from the prompt without retrieved memory", () => {
  const prompts = SEEN.map((seen) => `${OPENING}\n${seen}`);
  const forest = grow(rebuilt(prompts, { basePrompt: `${OPENING}\nplain` }), analysis([1]));
  expect(texts(forest)).toEqual([
    `episode: ${user(`${ENRICHED}\n\nplain`)}go to shelf 1<|im_end|>`,
    `step: ${user(`${OPENING}\nplain\n\nHint: [Take it.]`)}look<|im_end|>`,
    `episode: ${user(`${ENRICHED}\n\nplain`)}take cup 1<|im_end|>`,
  ]);
});

test("a rebuilt prompt is shortened by the oldest step it shows, or its row is lost", () => {
  const prompt = `${OPENING}\nStep 1\nYou did: a long walk\nStep 2\nYou did: b\nNow\nYou see.`;
  const shorten = (text: string) => dropOldestStep(text, /^(?:Step \d+|Now)$/m);
  const limit =
    dialect.opening(`${ENRICHED}\n\nStep 2\nYou did: b\nNow\nYou see.`).length + dialect.reply("go to shelf 1").length;
  const forest = grow(rebuilt([prompt]), analysis([]), { shorten, maxTokens: limit });
  expect(texts(forest)).toEqual([
    `episode: ${user(`${ENRICHED}\n\nStep 2\nYou did: b\nNow\nYou see.`)}go to shelf 1<|im_end|>`,
  ]);
  expect(forest.shortened).toBe(1);
  expect(grow(rebuilt([prompt]), analysis([]), { maxTokens: limit }).lost).toHaveLength(1);
  expect(dropOldestStep("Now\nx", /^(?:Step \d+|Now)$/m)).toBeUndefined();
});

test("a stream that is not what the dialect makes of the text gives no signal", () => {
  const trajectory = grown();
  const [first, ...rest] = trajectory.steps as [Step, ...Step[]];
  const other = { ...trajectory, steps: [{ ...first, observation: "Something else." }, ...rest] };
  expect(grow(other, analysis([1])).lost.map(({ reason }) => reason)).toEqual(Array(3).fill("unknown-prompt"));
  const bare = sampleTrajectory("t");
  expect(grow(bare, analysis([1])).lost.map(({ reason }) => reason)).toEqual(Array(3).fill("no-tokens"));
});

test("a branch is read with the opening of its parent", () => {
  const trajectory = grown();
  const branch = { ...trajectory, steps: trajectory.steps.slice(1), parent: { trajectory: "p", step: 1 } };
  const forest = grow(branch, analysis([2]), { opening: OPENING });
  expect(scored(forest)).toEqual([["1 look<|im_end|>"], ["2 take cup 1<|im_end|>"]]);
  expect(texts(forest)[0]).toContain("Skill: [Look up.]");
  expect(grow(branch, analysis([2])).lost).toHaveLength(2);
});
