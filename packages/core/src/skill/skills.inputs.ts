/** What the operations of `limbeck skills` take and say, once for all of them. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";

export const libraryInputs = { library: input.path("DIR", 'Folder of the library. Default: "skills"') } as const;

/** Who changes the library. */
export const actInputs = {
  ...libraryInputs,
  by: input.text("NAME", "Who decides, for the history. Default: the user's name"),
  why: input.text("TEXT", "Why, for the history"),
} as const;

const names = input.texts("NAME", "The skills", { at: "rest" });
/** Of commands that change skills by hand. */
export const handInputs = { names: { ...names, required: true }, ...actInputs } as const;

/** What several take. */
export const sharedInputs = {
  names,
  dryRun: input.flag("extract, install, uninstall, check: say what would be done and change nothing"),
  yes: input.flag(
    "follow, install, uninstall, replay: without asking; release: let it pass although the screen still finds something; needs --why",
  ),
  folder: input.path("DIR", "install, check: the project. Default: the current folder"),
  user: input.flag("install, uninstall: for all projects of the user. Default: the project in the current folder"),
  agent: input.choice(
    "AGENT",
    "install, uninstall, follow (its diffs): claude-code, codex, opencode or cursor",
    ["claude-code", "codex", "opencode", "cursor"],
    { flag: "for" },
  ),
} as const;

export const skillEvents = {
  skill: {
    name: "the name",
    description: "one line",
    level: "general, task or step",
    status: "what it is now",
    version: "hash of its text",
    when: "goals, words and state that it fits",
    text: "the advice",
    evidence: "trajectories and steps it rests on",
    links: "in a list: number of these",
    support: "episodes of its kind that succeeded and failed when it was extracted",
    groundedness: "how much of it was carried out in its evidence, less what was only said",
    statistics: "uses, successes, failures, withoutUses, withoutSuccesses, utility, lastUsed",
    lift: "the last measurement",
    contradicts: "names of skills that say the opposite",
    concerns: "why the screen stopped it",
    source: "which analyst, or who",
    restsOn: "files with hashes, tools and versions that it names; what it is stale without",
    history: "changes with number, at, by, action, why, status and version",
    outcome: "of an extraction: added, merged (more evidence) or known",
  },
} as const;
export const changeEvents = {
  change: {
    name: "the skill",
    decision: "what was decided",
    status: "what it is now",
    version: "hash of its text",
    why: "of a check and by uses: why",
  },
} as const;
export const fileEvents = {
  file: {
    path: "the file",
    change: "create, change or remove",
    diff: "the lines that installing would write, each with +, -, a blank or, for those left out, …",
  },
  problem: { name: "the skill", path: "the file", problem: "what is wrong" },
} as const;
/** Of the last line, whatever was done. */
export const endCounts = { skills: "number of skills", changed: "number of skills that were changed" } as const;
export const listEvents = { ...skillEvents, problem: fileEvents.problem, end: endCounts } as const;

const { names: _, folder, ...places } = sharedInputs;
export const uninstallInputs = { names, ...libraryInputs, ...places } as const;
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
