/**
 * The stages of the study. Settings are chosen in `screening` and `tuning`, on validation tasks; everything else has other
 * seeds and looks at test tasks. `quick` is the same way in minutes: fewer arms and seeds, shorter runs, no claim.
 */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import { firstShipped, stepLevel, tunedMethods, type Chosen, type Tuned } from "./arms.ts";
import { best, BRIEF, choosingLooks, household, LONG, looks, seeds, SHORT } from "./conditions.ts";
import { defaultsPlan, harmfulDefaults } from "./defaults.ts";
import { distillation } from "./distillation.ts";
import { officialGames, otherWorld } from "./other-worlds.ts";
import { confirmation, robustness, secondAblations, secondControls, secondMethods, tuning } from "./second-round.ts";

export const stageNames = [
  "screening",
  "headline",
  "tuning",
  "confirmation",
  "controls",
  "ablations",
  "robustness-small",
  "robustness-noise",
  "robustness-start",
  "step-level",
  "defaults",
  "shop",
  "research",
  "alfworld",
  "distillation",
  "distillation-countdown",
] as const;
export type StageName = (typeof stageNames)[number];

export interface Stage {
  readonly title: string;
  /** Whether it takes what an earlier stage chose. */
  readonly needsChoice: boolean;
  /** The methods whose best arm it chooses. */
  readonly tunes?: readonly Tuned[];
  readonly plan: (quick: boolean, chosen: Chosen) => ArenaPlanInput;
}

const BASELINES = ["grpo", "gigpo", "hgpo"] as const;

export const stages: Readonly<Record<StageName, Stage>> = {
  screening: {
    title: "First round, screening: three settings for every method, two seeds",
    needsChoice: false,
    tunes: tunedMethods,
    plan: (quick) => ({
      ...household(
        quick,
        SHORT,
        tunedMethods.slice(0, quick ? 2 : undefined).flatMap(({ arms }) => arms),
      ),
      seeds: seeds(1, quick ? 1 : 2),
      evaluation: choosingLooks(quick),
    }),
  },
  headline: {
    title: "First round: OPID as it was shipped then against GRPO, GiGPO and HGPO",
    needsChoice: true,
    plan: (quick, chosen) => ({
      ...household(quick, LONG, [
        ...BASELINES.slice(0, quick ? 1 : undefined).map((method) => best(chosen, method)),
        firstShipped,
      ]),
      seeds: seeds(101, quick ? 2 : 10),
      evaluation: looks(quick),
      baseline: firstShipped.name,
    }),
  },
  tuning: {
    title: "Second round: six settings each for GRPO, GiGPO and OPID, two seeds",
    needsChoice: false,
    tunes: secondMethods,
    plan: tuning,
  },
  confirmation: {
    title: "Second round: OPID as shipped against GRPO and GiGPO, fresh seeds and games",
    needsChoice: true,
    plan: confirmation,
  },
  controls: {
    title: "Controls: other texts in the place of the skills",
    needsChoice: true,
    plan: secondControls,
  },
  ablations: {
    title: "OPID with one part changed, and other ways to use successes and skills",
    needsChoice: true,
    plan: secondAblations,
  },
  "robustness-small": {
    title: "A second difficulty: small houses",
    needsChoice: true,
    plan: (quick, chosen) => robustness("small", quick, chosen),
  },
  "robustness-noise": {
    title: "Noisy observations",
    needsChoice: true,
    plan: (quick, chosen) => robustness("noise", quick, chosen),
  },
  "robustness-start": {
    title: "A second starting model, in the folder SECOND_MODEL",
    needsChoice: true,
    plan: (quick, chosen) => robustness("start", quick, chosen),
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
  defaults: {
    title: "Defaults that unlearned: two settings each beside GRPO's, three seeds, validation tasks",
    needsChoice: false,
    tunes: harmfulDefaults,
    plan: defaultsPlan,
  },
  shop: {
    title: "The shop: GRPO, GiGPO and OPID from a starting model of its own",
    needsChoice: true,
    plan: (quick, chosen) => otherWorld("shop", quick, seeds(501, quick ? 1 : 5), chosen),
  },
  research: {
    title: "Research: GRPO, GiGPO and OPID from a starting model of its own",
    needsChoice: true,
    plan: (quick, chosen) => otherWorld("research", quick, seeds(501, quick ? 1 : 5), chosen),
  },
  alfworld: {
    title: "The official ALFWorld games: trained on `train`, measured on `valid_seen`, from household's model",
    needsChoice: true,
    plan: (quick, chosen) => officialGames(quick, seeds(601, quick ? 1 : 3), chosen),
  },
  distillation: {
    title: "The distillation family beside GRPO and OPID, household",
    needsChoice: false,
    plan: (quick) => distillation("household", quick, seeds(701, quick ? 1 : 5)),
  },
  "distillation-countdown": {
    title: "The distillation family beside GRPO and OPID, countdown",
    needsChoice: false,
    plan: (quick) => distillation("countdown", quick, seeds(701, quick ? 1 : 5)),
  },
};
