/**
 * Sol-RL, the first half: do the seeds of an episode rank alike with weights in eight bits and with the whole weights? The same
 * tasks, the same seeds, one group played twice. Nothing is trained.
 *
 *     npx tsx research/proofs/seed-ranking.ts --jobs 16
 */
import { rollout, openModel } from "limbeck";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { bundledModel } from "limbeck/local";
import type { BundledModelName } from "../../packages/policy/src/policy/starts.ts";
import { scoreValue } from "limbeck/reward";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";

const WORLDS = ["household", "tools", "countdown"] as const satisfies readonly BundledModelName[];
const KINDS = ["float32", "int8"] as const;

interface Result {
  /** Of returns less the mean of their task, over the seeds of all tasks. */
  readonly correlation: number;
  /** The same of ranks within the task, equal returns sharing theirs; tasks whose returns are all equal have no ranking. */
  readonly ranks: number;
  readonly tasks: number;
  readonly rankedTasks: number;
  readonly episodes: number;
  /** Episodes whose return is the same. */
  readonly sameReturn: number;
  /** Episodes whose tokens are the same from the first to the last. */
  readonly sameTokens: number;
  readonly success: Readonly<Record<(typeof KINDS)[number], number>>;
  readonly seconds: Readonly<Record<(typeof KINDS)[number], number>>;
}

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const played = new Map<string, Awaited<ReturnType<typeof rollout>>["trajectories"]>();
  const seconds: Record<string, number> = {};
  for (const kind of KINDS) {
    const model = await openModel(bundledModel(arm as BundledModelName), { weights: kind, threads: 1 });
    const request = { env: arm, policy: model, split: "train", offset: seed * 1_000, seed };
    // Graphs are built on the first tasks.
    await rollout({ ...request, tasks: 2, group: quick ? 2 : 16, ...(quick ? { maxSteps: 3 } : {}) });
    const begun = performance.now();
    const { trajectories } = await rollout({
      ...request,
      tasks: quick ? 2 : 16,
      group: quick ? 4 : 16,
      ...(quick ? { maxSteps: 3 } : {}),
    });
    seconds[kind] = (performance.now() - begun) / 1_000;
    played.set(kind, trajectories);
    await model.close();
  }
  const rough = new Map(played.get("int8")?.map((one) => [one.id, one]));
  const pairs = (played.get("float32") ?? []).flatMap((whole) => {
    const other = rough.get(whole.id);
    const [left, right] = [scoreValue(whole.reward), other === undefined ? undefined : scoreValue(other.reward)];
    if (other === undefined || left === undefined || right === undefined) return [];
    const tokens = (of: typeof whole): string => of.streams.map(({ ids }) => ids.join(" ")).join("|");
    return [{ group: whole.group, left, right, same: tokens(whole) === tokens(other) }];
  });
  const groups = [...groupedBy(pairs, ({ group }) => group).values()];
  const ranked = groups.filter((own) => new Set(own.map(({ left }) => left)).size > 1);
  const share = (kind: (typeof KINDS)[number]): number =>
    mean((played.get(kind) ?? []).map(({ success }) => (success === true ? 1 : 0)));
  return {
    correlation: correlationOf(ranked.flatMap((own) => centred(own.map(({ left, right }) => [left, right] as const)))),
    ranks: correlationOf(
      ranked.flatMap((own) => {
        const [left, right] = [ranksOf(own.map((one) => one.left)), ranksOf(own.map((one) => one.right))];
        return centred(left.map((rank, at) => [rank, right[at] as number] as const));
      }),
    ),
    tasks: groups.length,
    rankedTasks: ranked.length,
    episodes: pairs.length,
    sameReturn: pairs.filter(({ left, right }) => left === right).length,
    sameTokens: pairs.filter(({ same }) => same).length,
    success: { float32: share("float32"), int8: share("int8") },
    seconds: { float32: seconds["float32"] ?? 0, int8: seconds["int8"] ?? 0 },
  };
}

type Pair = readonly [number, number];

function centred(pairs: readonly Pair[]): Pair[] {
  const [left, right] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, one]) => one))];
  return pairs.map(([one, other]) => [one - left, other - right]);
}

function correlationOf(pairs: readonly Pair[]): number {
  const sum = (of: (pair: Pair) => number): number => pairs.reduce((total, pair) => total + of(pair), 0);
  const size = Math.sqrt(sum(([left]) => left * left) * sum(([, right]) => right * right));
  return size === 0 ? Number.NaN : sum(([left, right]) => left * right) / size;
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal - 1) / 2;
  });
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print(
    "| world | seeds | correlation of returns | of ranks | least of a seed | tasks with a ranking | same return | same tokens | success float32, int8 | seconds int8 / float32 |",
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const world of WORLDS) {
    // A seed without a task whose returns differ has no correlation, and JSON has no word for that.
    const own = results
      .filter(({ arm, result }) => arm === world && result.correlation !== null)
      .map(({ result }) => result);
    if (own.length === 0) continue;
    const all = (of: (one: Result) => number): number => mean(own.map(of));
    const share = (of: (one: Result) => number): string => `${(100 * all(of)).toFixed(1)}%`;
    print(
      `| ${world} | ${own.length} | ${all((one) => one.correlation).toFixed(3)} | ${all((one) => one.ranks).toFixed(3)} | ${Math.min(...own.map((one) => one.correlation)).toFixed(3)} | ${all((one) => one.rankedTasks).toFixed(1)} of ${all((one) => one.tasks).toFixed(0)} | ${share((one) => one.sameReturn / one.episodes)} | ${share((one) => one.sameTokens / one.episodes)} | ${share((one) => one.success.float32)}, ${share((one) => one.success.int8)} | ${all((one) => one.seconds.int8 / one.seconds.float32).toFixed(2)} |`,
    );
  }
  print();
}

await runStudy<Result>({ name: "seed-ranking", arms: WORLDS, run, report });
