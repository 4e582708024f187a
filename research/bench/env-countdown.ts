/** Benches of countdown: drawing puzzles, judging answers, and the expert, at three sizes; forking. */
import { createCountdown } from "../../packages/worlds/src/countdown/countdown.ts";
import { expert } from "../../packages/worlds/src/countdown/demonstrators.ts";
import type { LevelId } from "../../packages/worlds/src/countdown/generate.ts";
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const LEVELS: readonly LevelId[] = ["easy", "medium", "classic"];

async function draw(level: LevelId, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of createCountdown({ level }).tasks("train", { count })) tasks.push(task);
  return tasks;
}

function answerOf(task: Task): string {
  return expert.start(task, createRng(0)).next({ action: undefined, observation: task.goal });
}

function generate(level: LevelId): Bench {
  return {
    name: `countdown/generate-${level}`,
    summary: `Draws solvable training puzzles of the level ${level}.`,
    unit: "puzzles/s",
    setUp: () => Promise.resolve({ measure: async () => 1_000 / (await seconds(() => draw(level, 1_000))) }),
  };
}

function steps(level: LevelId): Bench {
  return {
    name: `countdown/steps-${level}`,
    summary: `Opens a puzzle of the level ${level} and judges a right answer.`,
    unit: "steps/s",
    setUp: async () => {
      const env = createCountdown({ level });
      const tasks = await draw(level, 200);
      const answers = tasks.map(answerOf);
      return {
        measure: async () => {
          const taken = await seconds(async () => {
            for (let index = 0; index < 4_000; index += 1) {
              const episode = await env.open(tasks[index % 200] as Task);
              await episode.step(answers[index % 200] ?? "");
            }
          });
          return 4_000 / taken;
        },
      };
    },
  };
}

function solving(level: LevelId): Bench {
  return {
    name: `countdown/expert-${level}`,
    summary: `The expert solves and writes up puzzles of the level ${level}.`,
    unit: "puzzles/s",
    setUp: async () => {
      const tasks = await draw(level, 100);
      const solveAll = (): Promise<string[]> => Promise.resolve(tasks.map(answerOf));
      return { measure: async () => tasks.length / (await seconds(solveAll)) };
    },
  };
}

const fork: Bench = {
  name: "countdown/fork",
  summary: "Forks an episode; median over 10,000 forks.",
  unit: "microseconds",
  goal: { at: "most", value: 20 },
  setUp: async () => {
    const [task] = await draw("medium", 1);
    const episode = await createCountdown().open(task as Task);
    return {
      measure: async () => {
        const times: number[] = [];
        for (let index = 0; index < 10_000; index += 1) {
          const start = performance.now();
          await episode.fork();
          times.push((performance.now() - start) * 1000);
        }
        return times.toSorted((left, right) => left - right)[5_000] ?? Number.NaN;
      },
    };
  },
};

const open: Bench = {
  name: "countdown/open-10000",
  summary: "Resident memory of the process with 10,000 episodes open.",
  unit: "MiB",
  goal: { at: "most", value: 2048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const tasks = await draw("medium", 500);
    const env = createCountdown({ level: "medium" });
    return {
      measure: async () => {
        const episodes = await Promise.all(
          Array.from({ length: 10_000 }, (_, index) => env.open(tasks[index % 500] as Task)),
        );
        const after = memoryMib();
        await Promise.all(episodes.map((episode) => episode.close()));
        return after;
      },
    };
  },
};

export const countdownBenches: readonly Bench[] = [
  ...LEVELS.flatMap((level) => [generate(level), steps(level), solving(level)]),
  fork,
  open,
];
