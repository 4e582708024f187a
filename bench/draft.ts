/**
 * Guessed tokens: seconds an episode and tokens a model call, with and without. The same episodes are played by each way in
 * turns within one run; all three say the same.
 */
import { bundledModel, type BundledModelName } from "../src/policy/local/index.ts";
import type { Draft } from "../src/policy/local/draft/kinds.ts";
import { openModel, type LocalModel } from "../src/policy/local/index.ts";
import { rollout, type RolloutOptions } from "../src/run/index.ts";
import { median, sum } from "../src/base/index.ts";
import { seconds, type Bench } from "./harness.ts";
import { THREADS } from "./policy-models.ts";

/** How a world is played. */
interface Play {
  readonly env: BundledModelName;
  readonly name: string;
  readonly what: string;
  readonly options: Pick<RolloutOptions, "tasks" | "group" | "temperature" | "concurrency" | "maxSteps">;
  /** Of the plain way's time, what is to be reached at least. */
  readonly goal: number;
}

const WAYS = ["off", "auto", "ngram"] as const satisfies readonly Draft[];
type Way = (typeof WAYS)[number];

const group = { tasks: 2, group: 4, maxSteps: 8 };
const alone = { tasks: 2, group: 1, temperature: 0, concurrency: 1, maxSteps: 8 };

const PLAYS: readonly Play[] = (["household", "tools", "research"] as const).flatMap((env): Play[] => [
  { env, name: "group", what: "2 tasks by 4 siblings at temperature 1", options: group, goal: 0.97 },
  {
    env,
    name: "eval",
    what: "2 tasks one after the other at temperature 0",
    options: alone,
    goal: env === "tools" ? 1.3 : 0.97,
  },
]);

function drafted({ env, name, what, options, goal }: Play): Bench {
  return {
    name: `draft/${env}-${name}`,
    summary: `Seconds without guesses over seconds with --draft auto: ${env}, ${what}, its bundled model, ${THREADS} threads.`,
    unit: "times as fast",
    goal: { at: "least", value: goal },
    repetitions: 5,
    setUp: async () => {
      const opened = await Promise.all(WAYS.map((draft) => openModel(bundledModel(env), { draft, threads: THREADS })));
      const models = Object.fromEntries(WAYS.map((way, at) => [way, opened[at]])) as Record<Way, LocalModel>;
      const taken: Record<Way, number[]> = { off: [], auto: [], ngram: [] };
      const byProcessor: number[] = [];
      let [round, episodes] = [0, 0];
      return {
        measure: async () => {
          round += 1;
          const once: Record<Way, number> = { off: 0, auto: 0, ngram: 0 };
          const worked: Record<Way, number> = { off: 0, auto: 0, ngram: 0 };
          // There and back: what else the machine does comes and goes.
          for (const [turn, way] of [...WAYS, ...WAYS.toReversed()].entries()) {
            const seed = 2 * round + Math.floor(turn / WAYS.length);
            const before = process.cpuUsage();
            const took = await seconds(async () => {
              ({ episodes } = await rollout({ env, policy: models[way], seed, ...options }));
            });
            const { user, system } = process.cpuUsage(before);
            worked[way] += user + system;
            once[way] += took;
            taken[way].push(took / episodes);
          }
          byProcessor.push(worked.off / worked.auto);
          return once.off / once.auto;
        },
        notes: () => ({
          ...Object.fromEntries(WAYS.map((way) => [`${way} s/episode`, Number(median(taken[way]).toFixed(3))])),
          ...Object.fromEntries(
            WAYS.map((way) => [
              `${way} tokens/call`,
              Number((models[way].decoded.tokens / models[way].decoded.rows).toFixed(2)),
            ]),
          ),
          "ngram times": Number((sum(taken.off) / sum(taken.ngram)).toFixed(2)),
          "auto times by processor": Number(median(byProcessor).toFixed(2)),
          "auto times of sums": Number((sum(taken.off) / sum(taken.auto)).toFixed(2)),
        }),
        close: async () => {
          await Promise.all(opened.map((model) => model.close()));
        },
      };
    },
  };
}

export const draftBenches: readonly Bench[] = PLAYS.map(drafted);
