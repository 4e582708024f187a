/**
 * ARRoL's rule with and without what the predictor knows. Whole groups are played once; what a rule would stop after six
 * steps is worked out from them, as a rollout that is stopped changes no other. Lot: the same chances, dealt anew among the
 * unfinished of each group, so that as many are stopped in every group; the mean of 200 deals. One seed a run:
 *
 *     npx tsx research/pruning-control.ts --seed 531 --out DIR
 *     npx tsx research/pruning-control.ts --sum DIR
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng, openModel, rollout, type Rng, type Trajectory } from "limbeck";
import { bundledModel } from "limbeck/local";
import { openScorer } from "limbeck/training";
import { groupedBy } from "../packages/base/src/base/grouped-by.ts";
import { shuffle } from "../packages/base/src/base/rng.ts";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { keepBalanced, keepLikeliest } from "../packages/core/src/rollout/prune.ts";
import { toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/pruning-control" },
    sum: { type: "string" },
    tasks: { type: "string", default: "20" },
  },
});

const CHECK = 6;
const DEALS = 200;
/** Ours, as `research/pruning.ts` has it, and balance alone. */
const RULES = {
  ours: { keep: 3, below: 0.08, protect: true },
  published: { keep: 4, below: 1, protect: false },
} as const;
type Rule = (typeof RULES)[keyof typeof RULES];

/** An episode after six steps. */
interface Member {
  readonly success: number;
  /** The predictor's word; undefined where it was over. */
  readonly chance: number | undefined;
  /** Tokens that were sampled up to the check, and in all. */
  readonly early: number;
  readonly tokens: number;
}
interface Figures {
  readonly tokens: number;
  readonly solved: number;
  readonly variance: number;
}
interface Found {
  readonly seed: number;
  readonly auc: number;
  readonly whole: Figures;
  readonly rules: Readonly<Record<keyof typeof RULES, { readonly predictor: Figures; readonly lot: Figures }>>;
}

async function groupsOf(seed: number): Promise<Member[][]> {
  const policy = await openModel(bundledModel("household"), { threads: 1 });
  const tasks = Number(values.tasks);
  const { trajectories } = await rollout({ env: "household", policy, split: "test", tasks, offset: seed * tasks, seed, group: 8 }); // prettier-ignore
  await policy.close();
  const scorer = await openScorer("household", { threads: 1 });
  const open = trajectories.filter(({ steps }) => steps.length > CHECK);
  const chances = await scorer.scoreTokens(
    open.map(({ steps, streams }) => {
      const span = steps[CHECK]?.span;
      return streams[span?.stream ?? 0]?.ids.subarray(0, span?.start ?? 0) ?? new Int32Array();
    }),
  );
  await scorer.close();
  const chance = new Map(open.map((one, at) => [one, chances[at] as number]));
  const member = (one: Trajectory): Member => ({
    success: Number(one.success === true),
    chance: chance.get(one),
    early: sampled(one, CHECK),
    tokens: sampled(one, one.steps.length),
  });
  return [...groupedBy(trajectories, ({ task }) => task.id).values()].map((group) =>
    group.filter(({ success }) => success !== null).map(member),
  );
}

/** Tokens of the policy in the first so many steps. */
function sampled({ steps, streams }: Trajectory, most: number): number {
  return steps.slice(0, most).reduce((sum, { span }) => {
    const mask = streams[span?.stream ?? 0]?.mask ?? new Uint8Array();
    return sum + mask.subarray(span?.start ?? 0, span?.end ?? 0).reduce((total, own) => total + own, 0);
  }, 0);
}

/** What is left of the groups, as the strategy would leave it. */
function figures(groups: readonly (readonly Member[])[], rule?: Rule, rng?: Rng): Figures {
  const left = groups.map((group) => new Set(rule === undefined ? group.keys() : leftOf(group, rule, rng)));
  const own = groups.map((group, at) => group.filter((_, place) => left[at]?.has(place)).map(({ success }) => success));
  return {
    tokens: mean(groups.map((group, at) => group.reduce((sum, one, place) => sum + (left[at]?.has(place) === true ? one.tokens : one.early), 0))), // prettier-ignore
    solved: mean(own.map((group) => Math.max(0, ...group))),
    variance: mean(own.map(variance)),
  };
}

function leftOf(group: readonly Member[], { keep, below, protect }: Rule, rng: Rng | undefined): number[] {
  const unfinished = group.flatMap(({ chance }) => (chance === undefined ? [] : [chance]));
  const dealt = rng === undefined ? unfinished : shuffle(unfinished, rng);
  let next = 0;
  const chances = group.map(({ chance, success }) => (chance === undefined ? success : (dealt[next++] as number)));
  const fixed = new Set([...group.keys()].filter((at) => group[at]?.chance === undefined || (chances[at] as number) > below)); // prettier-ignore
  const unsolved = group.every(({ chance, success }) => chance !== undefined || success === 0);
  return (protect && unsolved ? keepLikeliest : keepBalanced)(chances, keep, fixed);
}

function variance(numbers: readonly number[]): number {
  if (numbers.length < 2) return 0;
  const centre = mean(numbers);
  return numbers.reduce((sum, one) => sum + (one - centre) ** 2, 0) / (numbers.length - 1);
}

/** How often an episode that succeeds is given more than one that fails; equals are half. */
function auc(groups: readonly (readonly Member[])[]): number {
  const asked = groups.flat().flatMap(({ chance, success }) => (chance === undefined ? [] : [{ chance, success }]));
  const of = (wanted: number): number[] => asked.filter(({ success }) => success === wanted).map(({ chance }) => chance); // prettier-ignore
  return mean(of(1).flatMap((one) => of(0).map((other) => (one > other ? 1 : one === other ? 0.5 : 0))));
}

async function run(seed: number): Promise<void> {
  const groups = await groupsOf(seed);
  const both = (rule: Rule) => {
    const deals = Array.from({ length: DEALS }, (_, at) => figures(groups, rule, createRng(`${seed} ${at}`)));
    const lot = (of: keyof Figures): number => mean(deals.map((deal) => deal[of]));
    return { predictor: figures(groups, rule), lot: { tokens: lot("tokens"), solved: lot("solved"), variance: lot("variance") } }; // prettier-ignore
  };
  const rules = { ours: both(RULES.ours), published: both(RULES.published) };
  const found: Found = { seed, auc: auc(groups), whole: figures(groups), rules };
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, `pruning-control-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
}

async function sumUp(folder: string): Promise<void> {
  const told = await toldBySeed<Found>(folder, "pruning-control");
  told("AUC of the unfinished", (one) => one.auc);
  for (const figure of ["tokens", "solved", "variance"] as const) {
    told(`${figure}, whole`, ({ whole }) => whole[figure]);
    for (const rule of ["ours", "published"] as const) {
      const of = (by: "predictor" | "lot") => (one: Found) => one.rules[rule][by][figure];
      told(`${figure}, ${rule}, predictor`, of("predictor"));
      told(`${figure}, ${rule}, lot`, of("lot"));
      told(`${figure}, ${rule}, predictor less lot`, (one) => of("predictor")(one) - of("lot")(one));
      told(`${figure}, ${rule}, predictor less whole`, (one) => of("predictor")(one) - one.whole[figure]);
    }
  }
}

if (values.sum === undefined) await run(Number(values.seed));
else await sumUp(values.sum);
