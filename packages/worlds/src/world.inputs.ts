/** The world and its tasks, for every operation with an agent. */
import { input } from "limbeck-base/base/input";
import { envPart } from "./env.part.ts";

export const worldInputs = {
  env: input.part(envPart, "ID", "The world"),
  envOptions: input.values("NAME=VALUE", "An option of the world: dial=tiny", { flag: "env-set" }),
  experts: input.path("FILE", "Experts that the policy can ask, at a price: docs/lookup/orchestrate.md"),
  split: input.text("NAME", "Split of the tasks. Default: test for eval, valid for search, else the first"),
  offset: input.count("N", "Tasks to pass over first", { least: 0, default: 0 }),
};

/** What options of a world that were read may do; `source` is what they are read from. */
export function allowInputs(source: string) {
  return {
    allowCommands: input.flag(`Let ${source} start programs`),
    allowAddresses: input.flag(`Let ${source} name addresses to call`),
  } as const;
}
