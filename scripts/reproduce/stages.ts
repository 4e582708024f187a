/**
 * The stages of the study. Settings are chosen in `screening`, on validation tasks; everything after it has other seeds
 * and ends with a look at test tasks. `quick` is the same way in minutes: fewer arms and seeds, shorter runs, no claim.
 */
import type { ArenaPlanInput } from "../../src/arena/index.ts";
import { bundledModel } from "../../src/policy/local/bundled-model.ts";
import { ablations, controls, shipped, stepLevel, tunedMethods, type ArmInput } from "./arms.ts";
import { officialGames, otherWorld } from "./other-worlds.ts";

export const stageNames = [
  "screening",
  "headline",
  "ablations",
  "controls",
  "robustness",
  "step-level",
  "shop",
  "research",
  "alfworld",
] as const;
export type StageName = (typeof stageNames)[number];

/** The best arm of each method in the screening. */
export type Chosen = Readonly<Record<string, ArmInput>>;

export interface Stage {
  readonly title: string;
  /** Whether it takes what the screening chose. */
  readonly needsChoice: boolean;
  readonly plan: (quick: boolean, chosen: Chosen) => ArenaPlanInput;
}

/**
 * Tasks, world and start that all stages share. An update is 4 tasks × 8 episodes, about 350 environment steps: half of
 * the recipes' own default, so that the same steps give twice as many updates, for every arm alike.
 */
function household(quick: boolean, steps: number, arms: readonly ArmInput[]): Omit<ArenaPlanInput, "seeds"> {
  return {
    arms: arms.map((arm) => ({ ...arm, settings: { ...arm.settings, tasks: 4 } })),
    version: 1,
    env: "household",
    envOptions: { dial: "tiny" },
    model: bundledModel("household"),
    budget: { account: "steps", amount: quick ? 2_000 : steps },
    threads: 1,
  };
}

const BRIEF = 5_000;
const SHORT = 6_000;
const LONG = 9_000;
/** The same for all stages after the screening, so that a run of one serves another; on tasks that it never saw. */
const looks = (quick: boolean): NonNullable<ArenaPlanInput["evaluation"]> =>
  quick
    ? { every: 3, tasks: 24, split: "test", finalTasks: 24, retentionTasks: 8 }
    : { every: 4, tasks: 64, split: "test", finalTasks: 200, retentionTasks: 48 };

function seeds(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** A chosen arm under the name of its method. */
function best(chosen: Chosen, method: string): ArmInput {
  const arm = chosen[method];
  if (arm === undefined) throw new Error(`The screening chose nothing for ${method}; run the stage screening first.`);
  return { ...arm, name: method };
}

const BASELINES = ["grpo", "gigpo", "hgpo"] as const;

export const stages: Readonly<Record<StageName, Stage>> = {
  screening: {
    title: "Screening: three settings for every method, two seeds",
    needsChoice: false,
    plan: (quick) => ({
      ...household(
        quick,
        SHORT,
        tunedMethods.slice(0, quick ? 2 : undefined).flatMap(({ arms }) => arms),
      ),
      seeds: seeds(1, quick ? 1 : 2),
      evaluation: { every: 4, tasks: quick ? 24 : 64, finalTasks: 0 },
    }),
  },
  headline: {
    title: "OPID as shipped against GRPO, GiGPO and HGPO",
    needsChoice: true,
    plan: (quick, chosen) => ({
      ...household(quick, LONG, [
        ...BASELINES.slice(0, quick ? 1 : undefined).map((method) => best(chosen, method)),
        shipped,
      ]),
      seeds: seeds(101, quick ? 2 : 10),
      evaluation: looks(quick),
      baseline: shipped.name,
    }),
  },
  ablations: {
    title: "OPID with one part changed, and other ways to use successes and skills",
    needsChoice: true,
    plan: (quick, chosen) => ({
      ...household(quick, LONG, [
        shipped,
        ...ablations.slice(0, quick ? 1 : undefined),
        ...["rejection-sampling", "grpo-skill-in-prompt"].flatMap((method) => (quick ? [] : [best(chosen, method)])),
      ]),
      seeds: seeds(101, quick ? 1 : 5),
      evaluation: looks(quick),
      baseline: shipped.name,
    }),
  },
  controls: {
    title: "Controls: other texts in the place of the skills, against GRPO",
    needsChoice: true,
    plan: (quick, chosen) => ({
      ...household(quick, LONG, [best(chosen, "grpo"), shipped, ...controls.slice(0, quick ? 1 : undefined)]),
      seeds: seeds(101, quick ? 1 : 5),
      evaluation: looks(quick),
      baseline: "grpo",
    }),
  },
  robustness: {
    title: "A second difficulty and noisy observations",
    needsChoice: true,
    plan: (quick, chosen) => ({
      ...household(
        quick,
        LONG,
        [best(chosen, "grpo"), shipped].flatMap((arm): ArmInput[] => [
          { ...arm, name: `${arm.name}-small`, envOptions: { dial: "small" } },
          { ...arm, name: `${arm.name}-noise`, noise: 0.1 },
        ]),
      ),
      seeds: seeds(301, quick ? 1 : 5),
      evaluation: looks(quick),
    }),
  },
  "step-level": {
    title: "Every credit method that tells steps apart",
    needsChoice: false,
    plan: (quick) => ({
      ...household(quick, BRIEF, stepLevel.slice(0, quick ? 4 : undefined)),
      seeds: seeds(401, quick ? 1 : 5),
      evaluation: { every: 4, tasks: quick ? 24 : 48, finalTasks: quick ? 24 : 100 },
      baseline: "grpo",
    }),
  },
  shop: {
    title: "The shop: GRPO, GiGPO and OPID from a starting model of its own",
    needsChoice: false,
    plan: (quick) => otherWorld("shop", quick, seeds(501, quick ? 1 : 5)),
  },
  research: {
    title: "Research: GRPO, GiGPO and OPID from a starting model of its own",
    needsChoice: false,
    plan: (quick) => otherWorld("research", quick, seeds(501, quick ? 1 : 5)),
  },
  alfworld: {
    title: "The official ALFWorld games: trained on `train`, measured on `valid_seen`, from household's model",
    needsChoice: false,
    plan: (quick) => officialGames(quick, seeds(601, quick ? 1 : 3)),
  },
};
