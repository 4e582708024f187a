/** Worlds: everything an agent can act in by name, and what each takes. */
import { lookUp } from "limbeck-base/base/registry";
import { readWorldWord } from "limbeck-base/base/parts/part";
import type { Env } from "limbeck-core/env/env";
import { withDemonstrators, type World, type WorldOptions } from "limbeck-core/env/world";

/** Every world by id, loaded when first asked for. A new world is one line here and `export const <id>: World` there. */
export const envs = {
  agent: async () => (await import("./agent/index.ts")).agent,
  alfworld: async () =>
    withDemonstrators(
      (await import("./alfworld/index.ts")).alfworld,
      // Household speaks ALFWorld's language, so its experts play the official games too.
      (await import("./household/index.ts")).household,
    ),
  archive: async () => (await import("./archive/index.ts")).archive,
  countdown: async () => (await import("./countdown/index.ts")).countdown,
  draft: async () => (await import("./draft/index.ts")).draft,
  emit: async () => (await import("./emit/index.ts")).emit,
  household: async () => (await import("./household/index.ts")).household,
  ledger: async () => (await import("./ledger/index.ts")).ledger,
  mcp: async () => (await import("./mcp/index.ts")).mcp,
  openenv: async () => (await import("./openenv/index.ts")).openenv,
  python: async () => (await import("./python/index.ts")).python,
  research: async () => (await import("./research/index.ts")).research,
  shop: async () => (await import("./shop/index.ts")).shop,
  talk: async () => (await import("./talk/index.ts")).talk,
  tools: async () => (await import("./tools/index.ts")).tools,
} as const satisfies Record<string, () => Promise<World>>;

export type EnvId = keyof typeof envs;

/**
 * A world by its name, not yet opened: its options, and who can demonstrate in it.
 *
 * @example
 * const { demonstrators = {} } = await getWorld("countdown");
 * console.log(Object.keys(demonstrators)); // [ "expert", "hasty", "guesser" ]
 */
export async function getWorld(id: string): Promise<World> {
  const found = lookUp<World | (() => Promise<World>)>(envs, id, "environment");
  // A world of a file is loaded already.
  return typeof found === "function" ? await found() : found;
}

/**
 * Opens a world by name, or as `python:MODULE`, with its options.
 *
 * @example
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) console.log(task.goal); // Numbers: 10, 9, 4. Target: 23. Use each number exactly once.
 */
export async function openEnv(id: EnvId | (string & {}), options: WorldOptions = {}): Promise<Env> {
  const word = readWorldWord(id);
  return await (await getWorld(word.id)).create({ ...word.options, ...options });
}
