/** What environments are, as far as they can be opened with the options given. */
import { errorCode } from "limbeck-base/base/errors";
import type { DeepTable } from "limbeck-base/base/option-table";
import { allowedValues, defaultText } from "limbeck-base/base/options";
import { envs, getWorld } from "./index.ts";
import type { Env } from "limbeck-core/env/env";
import type { World, WorldOptions } from "limbeck-core/env/world";

export interface DescribedWorld {
  readonly id: string;
  readonly world: World;
  /** Undefined where the world needs options to be built. */
  readonly env: Env | undefined;
  readonly needs: string | undefined;
}

/** One world with its options, or all as they are. */
export async function describeWorlds(
  id: string | undefined,
  options: WorldOptions,
  onWorld: (data: ReturnType<typeof asData>) => void,
): Promise<readonly DescribedWorld[]> {
  const described: DescribedWorld[] = [];
  for (const name of id === undefined ? Object.keys(envs) : [id]) {
    described.push(await describe(name, id === undefined ? {} : options));
  }
  for (const world of described) onWorld(asData(world));
  return described;
}

async function describe(id: string, options: WorldOptions): Promise<DescribedWorld> {
  const world = await getWorld(id);
  try {
    return { id, world, env: await world.create(options), needs: undefined };
  } catch (error) {
    const unset = errorCode(error) === "bad-options" && Object.keys(options).length === 0;
    if (!unset) throw error;
    return { id, world, env: undefined, needs: error instanceof Error ? error.message : String(error) };
  }
}

function asData({ id, world, env, needs }: DescribedWorld) {
  const sizes = env && Object.entries(env.splits).map(([split, size]) => [split, Number.isFinite(size) ? size : null]);
  return {
    id,
    summary: world.info.meaning,
    splits: sizes === undefined ? null : Object.fromEntries(sizes),
    maxSteps: env?.maxSteps ?? null,
    options: Object.fromEntries(Object.entries(world.options).map(([name, spec]) => [name, optionHelp(spec)])),
    demonstrators: Object.keys(world.demonstrators ?? {}),
    parts: world.parts ?? {},
    generates: world.generate !== undefined,
    ...(needs === undefined ? {} : { needs }),
  };
}

export function optionHelp(spec: DeepTable[string]): string {
  return `${spec.meaning}; ${allowedValues(spec)}. Default: ${defaultText(spec.default)}`;
}
