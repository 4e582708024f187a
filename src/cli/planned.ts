/**
 * Commands that are only names so far, and the release that brings each. Adding the real command is: delete its line
 * here, add a line to the registry in `index.ts`.
 */
import { EngineError } from "../base/index.ts";
import type { Command, CommandTable } from "./command.ts";

/** What each release brings, in a few words. */
export const releases = {
  "0.2": "environments: ALFWorld, household, shop, research, tools, countdown",
  "0.3": "the local policy: a model that samples, scores and learns in Node",
  "0.4": "credit methods and objectives",
  "0.5": "rollouts and rewards",
  "0.6": "OPID from end to end",
  "0.7": "evaluation and the arena",
  "0.8": "every published credit method",
  "0.9": "recording of any agent",
  "0.10": "the skill library",
  "0.11": "the studio, a web page",
  "0.12": "remote trainers and rollout workers",
  "0.13": "the distillation family and preferences",
  "0.14": "search at the moment of decision",
} as const;

export type Release = keyof typeof releases;

const planned = {
  search: ["0.14", "Solve tasks with tree search"],
} as const satisfies Record<string, readonly [Release, string]>;

type PlannedName = keyof typeof planned;

export const plannedCommands = Object.fromEntries(
  Object.entries(planned).map(([name, [release, summary]]) => [name, plannedCommand(name, release, summary)]),
) as Readonly<Record<PlannedName, Command>> satisfies CommandTable;

function plannedCommand(name: string, release: Release, summary: string): Command {
  return {
    group: "learn",
    summary: `${summary} (comes with release ${release})`,
    usage: "",
    description: `Not in this release. It comes with release ${release}: ${releases[release]}.`,
    options: {},
    examples: [],
    jsonFields: {},
    comesWith: release,
    run: () => {
      throw notInThisRelease(name, release);
    },
  };
}

function notInThisRelease(name: string, release: Release): EngineError {
  return new EngineError(
    "not-in-this-release",
    `"limbeck ${name}" comes with release ${release} (${releases[release]}). "limbeck --help" lists what works today.`,
    { details: { command: name, release } },
  );
}
