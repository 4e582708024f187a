/** Replay chooses tasks by a rule: those of middling difficulty are rolled out, in time all; the rest comes from a buffer. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { shuffle } from "limbeck-base/base/rng";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scoreValue } from "limbeck-base/trajectory/score";
import { trajectoryFromJson, trajectoryToJson, type TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import {
  expectedOfTasks,
  passedAfter,
  selectByDifficulty,
  withGoal,
  withOverdue,
  type KnownGoal,
  type PassedOver,
} from "./difficulty.ts";
import { isSeen } from "limbeck-base/trajectory/tally";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { walkGroups } from "./ask.ts";

interface Buffered {
  readonly task: string;
  readonly rollout: number;
  readonly members: readonly Trajectory[];
}

interface Memory {
  rollouts: number;
  known: readonly KnownGoal[];
  buffer: readonly Buffered[];
  passed: PassedOver;
}

const options = {
  size: option.count(8, "episodes per task"),
  fresh: option.share(0.5, "share of the groups that is rolled out"),
  tau: option.number(1e-3, "how sharply the selection prefers middling tasks", { least: 1e-9 }),
  temperature: option.number(0.05, "how much more the most similar tasks count", { least: 1e-6 }),
  buffer: option.count(512, "groups that are kept", 0),
  oldest: option.count(10, "rollouts after which a group is too old"),
  references: option.count(256, "tasks that difficulty is judged by"),
  warmUp: option.count(1, "rollouts in which every task is rolled out", 0),
};

type ReplayOptions = OptionValues<typeof options>;

export const replay = defineStrategy({
  info: {
    title: "Replay, difficulty-targeted",
    paper:
      "Improving data efficiency for LLM reinforcement fine-tuning through difficulty-targeted online data selection and rollout replay",
    confidence: "code",
    source:
      "ASTRAL-Group/data-efficient-llm-rl @ 59df9187; rl_training/verl/verl/trainer/ppo/ray_trainer.py: select_buffer, fit; adaptive_difficulty_prediction/model.py",
    formula: [
      "d_x = accuracy of tasks rolled out lately, weighted by softmax(q_x . r_j / sqrt(d) / temperature), then by a line fitted on those tasks",
      "fresh * B tasks of the B given, drawn without replacement with chance ~ exp(-|d_x - 0.5| / tau); all B in the first `warmUp` rollouts",
      "the other groups come from a buffer of the last `buffer` groups with differing rewards: the newest of a task wins (one with equal rewards takes the older one out), none is older than `oldest` rollouts",
      "a task that was passed over four times in a row is rolled out the next time, whatever its chance",
    ],
    meaning:
      "Chooses tasks by a rule: those that are neither too easy nor too hard; earlier groups are given again for the rest.",
    departures: [
      "Published code chooses from the whole training set, for two updates at a time, by 256 references that it rolls out for the purpose; here the tasks of this rollout are chosen from, and the references are what was rolled out lately. Its first two updates are of fresh tasks alone, here the first one (warmUp).",
      "Directions of tasks are made of the words of their goals, and the attention has temperature 0.05; published, an embedding with a trained projection and 1. The small net that scales the logit is left out, and a predicted share is held within 0.001 and 0.999 (published 0.0001 and 0.9999).",
      "The line stays: published code fits it on references that are among their own references, and takes what comes; here each is predicted by the others, about their mean, a slope below 0 counts as 0, predictions are held within 0 and 1, and fewer than 8 references have no line.",
      "The age limit and the turn of a task that was passed over are ours. Published code may give a task of the same batch again, gives fewer groups where the buffer has fewer, and keeps 256 of its 512 places for older groups; here tasks of this rollout are not given again, and fresh tasks make up for what is missing.",
      "A reference's difficulty is its share of successes, and a group is kept where its rewards differ; published, its mean reward, and groups whose mean is neither 0 nor 1. With rewards of 0 and 1 that is the same.",
      "What was expected of a task stands in the info of its fresh episodes (expectedSuccess), beside how they came out.",
      "Groups given again are as they were, with the log-probabilities and versions of then. The published script scores them again with the policy before the update, and holds the ratio to the drawing policy between 0.8 and 1.2 times what that policy has; here the training's own loss clips it around 1, so that groups on which the policy has moved far bring less.",
      "The store has them already and does not store them twice.",
    ],
  },
  effect: {
    name: "replayedGroups",
    counts: "earlier groups given again",
    remedy: "No earlier group had differing rewards within strategy.oldest rollouts.",
    count: (episodes, { prefix }) =>
      new Set(episodes.flatMap(({ group }) => (group.startsWith(prefix) ? [] : [group]))).size,
  },
  options,
  create: (options) => {
    const memory: Memory = { rollouts: 0, known: [], buffer: [], passed: {} };
    return {
      run: (scope) => rollAndReplay(scope, options, memory),
      save: () => {
        const buffer = memory.buffer.map((one) => ({ ...one, members: one.members.map(trajectoryToJson) }));
        return { ...memory, buffer } as unknown as JsonObject;
      },
      load: (state) => {
        const saved = state as unknown as Memory & {
          readonly buffer: readonly (Omit<Buffered, "members"> & { readonly members: readonly TrajectoryJson[] })[];
        };
        const buffer = saved.buffer.map((one) => ({
          ...one,
          members: one.members.map((member) => trajectoryFromJson(member, `replayed group of task "${one.task}"`)),
        }));
        // Checkpoints of earlier versions do not say what was passed over.
        const { rollouts, known, passed = {} } = saved as Partial<Memory>;
        Object.assign(memory, { rollouts, known, buffer, passed });
      },
    };
  },
});

async function rollAndReplay(scope: Scope, options: ReplayOptions, memory: Memory): Promise<void> {
  memory.rollouts += 1;
  const { rollouts } = memory;
  const { tasks } = scope;
  const given = new Set(tasks.map(({ id }) => id));
  memory.buffer = memory.buffer.filter(({ rollout }) => rollouts - rollout <= options.oldest);
  const usable = memory.buffer.filter(({ task }) => !given.has(task));
  const wished = rollouts <= options.warmUp ? 0 : tasks.length - Math.ceil(options.fresh * tasks.length);
  const old = shuffle(usable, scope.rng.split("replay")).slice(0, wished);
  const expected = expectedOfTasks(tasks, memory.known, options);
  // A buffer that is too small is made up for by more fresh tasks.
  const byChance = selectByDifficulty(expected, tasks.length - old.length, options.tau, scope.rng.split("select"));
  const places = withOverdue(tasks, byChance, memory.passed);
  memory.passed = passedAfter(memory.passed, tasks, places);
  const chosen = places.map((at) => tasks[at] as Task);
  const read = (walks: readonly Walk[]): Trajectory[] => walks.map((walk) => walk.trajectory());
  const notes = new Map(tasks.map(({ id }, at) => [id, { expectedSuccess: expected[at] as number }]));
  const groups = await walkGroups(scope, chosen, options.size, read, notes);
  for (const { members } of old) for (const member of members) scope.adopt(member, { stored: true });
  remember(memory, chosen, groups, options);
}

function remember(
  memory: Memory,
  tasks: readonly Task[],
  groups: readonly Trajectory[][],
  options: ReplayOptions,
): void {
  for (const [at, members] of groups.entries()) {
    const { id, goal } = tasks[at] as Task;
    const rewards = members.flatMap(({ reward }) => scoreValue(reward) ?? []);
    if (rewards.length === 0) continue;
    const accuracy = mean(members.filter(isSeen).map(({ success }) => (success === true ? 1 : 0)));
    memory.known = withGoal(memory.known, { goal, accuracy }, options.references);
    const others = memory.buffer.filter(({ task }) => task !== id);
    const mixed = new Set(rewards).size > 1;
    const kept = mixed ? [...others, { task: id, rollout: memory.rollouts, members }] : others;
    memory.buffer = options.buffer === 0 ? [] : kept.slice(-options.buffer);
  }
}
