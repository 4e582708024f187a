/** What an installation takes and says. */
import { input } from "../../base/input.ts";
import type { Context, EventOf, Input } from "../../base/operation.ts";
import { dryRun, endCounts, fileEvents, folder, forAgent, libraryInputs, names, user, yes } from "../skills.inputs.ts";

export const uninstallInputs = { names, ...libraryInputs, agent: forAgent, user, yes, dryRun } as const;
export const installInputs = {
  ...uninstallInputs,
  form: input.choice(
    "FORM",
    "install: skills (SKILL.md), section (of AGENTS.md or CLAUDE.md), rules (Cursor)",
    ["skills", "section", "rules"],
    { flag: "as" },
  ),
  force: input.flag("install: also what is not proven"),
  folder,
} as const;
export const installEvents = { ...fileEvents, end: endCounts } as const;
export type InstallInput = Input<typeof installInputs>;
export type UninstallInput = Input<typeof uninstallInputs>;
export type InstallContext = Context<EventOf<typeof installEvents>>;
