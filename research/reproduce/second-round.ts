/**
 * The second round of the study. In the first OPID had been tuned by its weight alone, at a learning rate that was too
 * large for the baselines. Here GRPO, GiGPO and OPID get six settings each; the best one by area goes on to seeds, and to
 * a row of games, that nothing was chosen on.
 */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import { ablations, controls, firstShipped, shipped, type ArmInput, type Chosen, type Tuned } from "./arms.ts";
import { best, choosingLooks, curveOnly, EARLY, household, LONG, looks, seeds, SHORT } from "./conditions.ts";

type Settings = NonNullable<ArmInput["settings"]>;

const RATES = [5e-5, 1e-4, 2e-4] as const;

function byRate(recipe: string, kinds: Readonly<Record<string, Settings>>): Tuned {
  return {
    method: `second/${recipe}`,
    arms: Object.entries(kinds).flatMap(([kind, settings]) =>
      RATES.map((learningRate) => ({
        name: `${recipe}-${kind}-lr${learningRate}`,
        recipe,
        settings: { ...settings, learningRate },
      })),
    ),
  };
}

const FORWARD: Settings = { form: "forward", divergenceWeight: 1 };
const SHIFT: Settings = { form: "shift" };
/** GiGPO's credit beneath the teacher: without one it is GiGPO. */
const STEPS: Settings = { "credit.mode": "mean_norm", "credit.stepAdvantageWeight": 1 };
const FADE: Settings = { fadeOver: 20 };

const OPID: Readonly<Record<string, Settings>> = {
  // What the first round shipped, at the rate that was best for the baselines.
  "shift-lr0.0001": { ...SHIFT, learningRate: 1e-4 },
  "shift-steps-lr0.0001": { ...SHIFT, ...STEPS, learningRate: 1e-4 },
  "shift-steps-fade-lr0.0002": { ...SHIFT, ...STEPS, ...FADE, learningRate: 2e-4 },
  "forward-steps-lr0.0001": { ...FORWARD, ...STEPS, learningRate: 1e-4 },
  "forward-steps-lr0.0002": { ...FORWARD, ...STEPS, learningRate: 2e-4 },
  "forward-steps-fade-lr0.0002": { ...FORWARD, ...STEPS, ...FADE, learningRate: 2e-4 },
};

export const secondMethods: readonly Tuned[] = [
  byRate("grpo", { scaled: { "credit.normByStd": true }, centred: { "credit.normByStd": false } }),
  byRate("gigpo", { centred: { "credit.mode": "mean_norm" }, scaled: { "credit.mode": "mean_std_norm" } }),
  {
    method: "second/opid",
    arms: Object.entries(OPID).map(([name, settings]) => ({
      name: `opid-${name}`,
      recipe: "opid",
      settings: { ...firstShipped.settings, ...settings },
    })),
  },
];

/** Another row of games than the first round's, in training and in test. */
const FRESH = { dial: "tiny", seed: 2 } as const;

/** GRPO and GiGPO with the best of their six settings. */
export const baselines = (chosen: Chosen): ArmInput[] =>
  ["grpo", "gigpo"].map((method) => best(chosen, `second/${method}`, method));

export function tuning(quick: boolean): ArenaPlanInput {
  return {
    ...household(
      quick,
      LONG,
      secondMethods.flatMap(({ arms }) => arms.slice(0, quick ? 1 : undefined)),
    ),
    seeds: seeds(1, quick ? 1 : 2),
    evaluation: choosingLooks(quick),
  };
}

export function confirmation(quick: boolean, chosen: Chosen): ArenaPlanInput {
  return {
    ...household(quick, LONG, [...baselines(chosen), shipped]),
    envOptions: FRESH,
    seeds: seeds(111, quick ? 2 : 10),
    evaluation: looks(quick, 24),
    baseline: shipped.name,
  };
}

/** As long as the confirmation, whose runs serve as its first three arms. Without a teacher it is GiGPO at OPID's rate. */
export function secondControls(quick: boolean, chosen: Chosen): ArenaPlanInput {
  const others = [...controls, ...ablations.filter(({ name }) => name === "no-teacher")];
  return {
    ...household(quick, LONG, [...baselines(chosen), shipped, ...others.slice(0, quick ? 1 : undefined)]),
    envOptions: FRESH,
    seeds: seeds(111, quick ? 1 : 10),
    evaluation: curveOnly(quick),
    baseline: shipped.name,
  };
}

export function secondAblations(quick: boolean, chosen: Chosen): ArenaPlanInput {
  const others = ["rejection-sampling", "grpo-skill-in-prompt"].map((method) => best(chosen, method));
  return {
    ...household(quick, EARLY, [shipped, ...(quick ? ablations.slice(0, 1) : [...ablations, ...others])]),
    envOptions: FRESH,
    seeds: seeds(111, quick ? 1 : 10),
    evaluation: curveOnly(quick),
    baseline: shipped.name,
  };
}

/** The folder of another starting model, for the stage `robustness-start`: the weights of an earlier commit, for example. */
const SECOND_MODEL = process.env["SECOND_MODEL"];

const HARDER = {
  small: { envOptions: { ...FRESH, dial: "small" } },
  noise: { envOptions: FRESH, noise: 0.1 },
  start: { envOptions: FRESH, ...(SECOND_MODEL === undefined ? {} : { model: SECOND_MODEL }) },
} as const satisfies Record<string, Partial<ArenaPlanInput>>;

export function robustness(kind: keyof typeof HARDER, quick: boolean, chosen: Chosen): ArenaPlanInput {
  return {
    ...household(quick, SHORT, [...baselines(chosen), shipped]),
    ...HARDER[kind],
    seeds: seeds(301, quick ? 1 : 5),
    evaluation: curveOnly(quick),
    baseline: shipped.name,
  };
}
