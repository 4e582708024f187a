/** What stored and followed sessions are for skills: `limbeck skills extract`, `follow` and `replay`. */
import { defineOperation } from "limbeck-base/base/operation";
import { extractTable, followTable, replayTable } from "./skills.inputs.ts";

const head = { group: "learn", examples: [] } as const;

/**
 * Skills from stored trajectories into the library.
 *
 * @example
 * const { skills } = await extractFromStore({ library: "no-such-folder", dryRun: true }, { store: "no-such-store" });
 * console.log(skills.length); // 0
 */
export const extractFromStore = defineOperation({
  ...head,
  name: "skills extract",
  summary: "from stored trajectories into the library",
  ...extractTable,
  natives: (given) => (given("ask")?.startsWith("local:") === true ? ["onnxruntime"] : []),
  run: async (given, context) => await (await import("./following/extract.ts")).extractStored(given, context),
});

/**
 * Follows the sessions that coding agents keep on this machine, and proposes the skills that they show. Nothing is installed.
 *
 * @example
 * const following = followSessions({ folders: ["no-such-folder"], from: ["claude-code"], once: true, yes: true });
 * await following.catch((error: Error) => console.log(error.message.slice(0, 42))); // There is no folder of sessions to follow (
 */
export const followSessions = defineOperation({
  ...head,
  name: "skills follow",
  summary: "new sessions of agents as they come, and the skills they show as proposals; never installs",
  ...followTable,
  run: async (given, context) => await (await import("./following/follow.ts")).follow(given, context),
});

/**
 * Stored sessions as tasks that can be tried again, for a lift test of one's own agent.
 *
 * @example
 * const { tasks } = await replaySessions({ library: "none", out: "tasks.jsonl" }, { store: "no-such-store" });
 * console.log(tasks); // 0
 */
export const replaySessions = defineOperation({
  ...head,
  name: "skills replay",
  summary: "stored sessions as tasks that can be tried again, for limbeck lift --agent",
  ...replayTable,
  run: async (given, context) => await (await import("./replay/replay.ts")).replayStored(given, context),
});
