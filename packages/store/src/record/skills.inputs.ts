/** What `limbeck skills` takes and says of stored and followed sessions. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import {
  actInputs,
  changeEvents,
  endCounts,
  fileEvents,
  libraryInputs,
  sharedInputs,
  skillEvents,
} from "limbeck-core/skill/skills.inputs";
import { askInput } from "limbeck-core/skill/writer.inputs";
import { programNames } from "./import.inputs.ts";

const run = input.text("ID", "extract, replay: only this run of the store");
const learning = {
  signals: input.text(
    "LIST",
    "extract, follow: what shows how a session ended where no outcome is recorded: tests, commits, words (the person's next message, a guess) or none. Default: tests,commits",
  ),
  least: input.count("N", "extract, follow: tasks that must have shown a skill. Default: 2"),
} as const;

const extractInputs = {
  ...actInputs,
  run,
  analyst: input.choice("ID", "extract: statistics, or model (a chat model)", ["statistics", "model"]),
  ask: askInput(
    "extract: let a model write: the chat model (LIMBECK_CHAT_…), bundled (limbeck-writer-model), or local:DIR, a model folder or GGUF file; where it fails, the statistics do",
  ),
  ...learning,
  protocol: input.flag("extract: also write PROTOCOL.md, causes of failures as a decision tree"),
  dryRun: sharedInputs.dryRun,
} as const;
const extractEvents = {
  skill: skillEvents.skill,
  end: {
    episodes: "episodes read, or played",
    succeeded: "how many of them succeeded",
    yielding: "episodes that a skill rests on",
    nothing: "why the others gave nothing, by reason",
    shapes: "different shapes of goals",
    skills: endCounts.skills,
    written: "--ask: how often the model wrote (model), the statistics in its place (template), or none",
    protocol: "extract --protocol: round, and branches that it has now",
    durationMs: "time taken",
  },
} as const;
export const extractTable = { input: extractInputs, events: extractEvents } as const;
export type ExtractInput = Input<typeof extractInputs>;
export type ExtractContext = Context<EventOf<typeof extractEvents>>;

const followInputs = {
  folders: input.texts("FOLDER", "Where sessions are", { at: "rest" }),
  ...libraryInputs,
  from: {
    ...input.texts(
      "PROGRAM",
      "follow: whose sessions, from the usual folder or from those that are named. Default: every program that has its usual folder here",
    ),
    names: programNames,
  },
  once: input.flag("follow: end after what is there"),
  settle: input.time("follow: a file that has not changed for so long is read. Default: 10s"),
  every: input.time(
    "follow: how often all files are looked at, where the system does not tell of changes. Default: 60s",
  ),
  redact: input.texts("PATTERN", "follow: also leave out what this expression finds"),
  keepEmails: input.flag("follow: leave e-mail addresses as they are"),
  ...learning,
  agent: sharedInputs.agent,
  user: sharedInputs.user,
  folder: sharedInputs.folder,
  yes: sharedInputs.yes,
} as const;
const followEvents = {
  found: { from: "the program", folders: "the folders", files: "session files there", bytes: "their size" },
  following: { folders: "the folders" },
  read: {
    path: "the file",
    from: "the program",
    sessions: "sessions with something new",
    steps: "new steps that were stored",
  },
  problem: fileEvents.problem,
  proposal: {
    name: "the name",
    text: "the advice",
    outcome: "added, or merged (more evidence)",
    evidence: "trajectories and steps it rests on",
    diff: fileEvents.file.diff,
    why: "why there is no diff",
  },
  end: {
    files: "files read",
    steps: "new steps that were stored",
    proposed: "new proposals",
    older: "sessions that did not fit into what is learnt from, the newest 500",
  },
} as const;
export const followTable = { input: followInputs, events: followEvents } as const;
export type FollowInput = Input<typeof followInputs>;
export type FollowContext = Context<EventOf<typeof followEvents>>;

export const checkInputs = {
  names: sharedInputs.names,
  ...actInputs,
  keep: input.flag("check: they still hold; what they rest on is taken as it is today"),
  folder: sharedInputs.folder,
  dryRun: sharedInputs.dryRun,
} as const;
export const checkEvents = { ...changeEvents, file: fileEvents.file, end: endCounts } as const;
export type CheckInput = Input<typeof checkInputs>;
export type CheckContext = Context<EventOf<typeof checkEvents>>;

const replayInputs = {
  ...libraryInputs,
  run,
  out: input.path("FILE", "replay: the file of tasks"),
  prepare: programInputs("lift --agent: ").prepare,
  yes: sharedInputs.yes,
} as const;
const replayEvents = {
  end: { tasks: "number of tasks", left: "sessions that are no tasks, by reason", path: "the file" },
} as const;
export const replayTable = { input: replayInputs, events: replayEvents } as const;
export type ReplayInput = Input<typeof replayInputs>;
export type ReplayContext = Context<EventOf<typeof replayEvents>>;
