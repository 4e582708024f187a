/** The world of an arm: the plan's, with the arm's own options, and noise where it is asked for. */
import { getWorld } from "limbeck-worlds/index";
import { withNoisyObservations } from "limbeck-core/env/with-noisy-observations";
import { type Allowed, checkStoredOptions } from "limbeck-core/env/stored-options";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Env } from "limbeck-core/env/env";
import { demonstratorsOf } from "limbeck-core/env/world";
import { formerOptions, namedOptions } from "limbeck-core/env/named-world";
import type { ArenaPlan, Arm } from "./plan.ts";

export interface ArmWorld {
  readonly env: Env;
  /** How it was asked for. */
  readonly name: string;
  /** The world's own expert, where it has one. */
  readonly demonstrator?: Demonstrator;
}

/** For a plan that was read from a file, which is data: throws where its worlds reach further than is allowed. */
export async function checkPlannedWorlds(
  plan: ArenaPlan,
  { file, allowed, command }: { readonly file: string; readonly allowed: Allowed; readonly command: string },
): Promise<void> {
  const world = await getWorld(plan.env);
  for (const options of [plan.envOptions, ...plan.arms.map((arm) => arm.envOptions ?? {})]) {
    checkStoredOptions({ id: plan.env, world, options, source: `The plan "${file}"`, allowed, command });
  }
}

/** The plan with all that the name of its world stands for, before it is stored. */
export async function withNamedWorld(plan: ArenaPlan): Promise<ArenaPlan> {
  const envOptions = namedOptions(plan.env, await getWorld(plan.env), plan.envOptions);
  return { ...plan, envOptions: envOptions as ArenaPlan["envOptions"] };
}

export async function openArmWorld(plan: ArenaPlan, arm: Arm): Promise<ArmWorld> {
  // A plan that was stored without them means what it meant then; those that are begun name them.
  const options = formerOptions(plan.env, { ...plan.envOptions, ...arm.envOptions });
  const noise = arm.noise ?? plan.noise;
  const world = await getWorld(plan.env);
  const clean = await world.create(options);
  const env = noise === 0 ? clean : withNoisyObservations(clean, { share: noise, seed: "noise" });
  const name = `${plan.env} ${JSON.stringify(options)}${noise === 0 ? "" : `, noise ${noise}`}`;
  const [expert] = Object.values(demonstratorsOf(world, clean));
  return { env, name, ...(expert === undefined ? {} : { demonstrator: expert }) };
}
