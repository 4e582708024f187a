/** What stored sessions do for a library of skills: `limbeck skills extract`, `follow`, `accept`, `tend`, `check`, `replay`. */
import { defineOperation } from "../base/operation.ts";
import { actInputs, changeEvents, endCounts, handInputs, skillEvents } from "../skill/skills.inputs.ts";
import {
  checkEvents,
  checkInputs,
  extractEvents,
  extractInputs,
  followEvents,
  followInputs,
  replayEvents,
  replayInputs,
} from "./skills.inputs.ts";

const head = { group: "learn", examples: [] } as const;

/**
 * Skills from stored trajectories into the library.
 *
 * @example
 * import { extractFromStore } from "limbeck/record";
 *
 * const { skills } = await extractFromStore({ library: "no-such-folder", dryRun: true }, { store: "no-such-store" });
 * console.log(skills.length); // 0
 */
export const extractFromStore = defineOperation({
  ...head,
  name: "skills extract",
  summary: "from stored trajectories into the library",
  input: extractInputs,
  events: extractEvents,
  natives: (given) => (given("ask")?.startsWith("local:") === true ? ["duckdb", "onnxruntime"] : ["duckdb"]),
  run: async (given, context) => await (await import("./following/extract.ts")).extractStored(given, context),
});

/**
 * Follows the sessions that coding agents keep on this machine, and proposes the skills that they show. Nothing is installed.
 *
 * @example
 * import { followSessions } from "limbeck/record";
 *
 * const following = followSessions({ folders: ["no-such-folder"], from: ["claude-code"], once: true, yes: true });
 * await following.catch((error: Error) => console.log(error.message.slice(0, 42))); // There is no folder of sessions to follow (
 */
export const followSessions = defineOperation({
  ...head,
  name: "skills follow",
  summary: "new sessions of agents as they come, and the skills they show as proposals; never installs",
  input: followInputs,
  events: followEvents,
  natives: () => ["duckdb"],
  run: async (given, context) => await (await import("./following/follow.ts")).follow(given, context),
});

/**
 * Proposals into the library, as candidates; nothing is installed.
 *
 * @example
 * import { acceptSkills } from "limbeck/record";
 *
 * await acceptSkills({ names: [] }).catch((error: Error) => console.log(error.message)); // "skills accept" needs names: The skills.
 */
export const acceptSkills = defineOperation({
  ...head,
  name: "skills accept",
  summary: "proposals into the library",
  input: handInputs,
  events: skillEvents,
  run: async (given, context) => {
    const { addSkills } = await import("../skill/extract/index.ts");
    const { givenAct, givenLibrary } = await import("../skill/library/given-library.ts");
    const { decide } = await import("../skill/library/index.ts");
    const { proposalsIn } = await import("./following/proposals.ts");
    const library = givenLibrary(given, context);
    const proposals = proposalsIn(library);
    const act = { action: "accepted", ...givenAct(given, context) };
    const all = await Promise.all(given.names.map((name) => proposals.read(name)));
    for (const { version: _, ...skill } of all) {
      const [added] = await addSkills(library, [skill], act);
      await decide(proposals, skill.name, { decision: "retire", by: act.by, why: "accepted" });
      const { name = skill.name, outcome = "known" } = added ?? {};
      context.emit({ event: "skill", name, outcome, status: (await library.read(name)).status });
    }
    await library.list();
  },
});

/**
 * Demotes, brings back and retires by use. By use alone nothing becomes active that was never proven.
 *
 * @example
 * import { tendSkills } from "limbeck/record";
 *
 * console.log(await tendSkills({ library: "no-such-folder" })); // { skills: 0, changed: 0 }
 */
export const tendSkills = defineOperation({
  ...head,
  name: "skills tend",
  summary: "demote, bring back and retire by use",
  input: actInputs,
  events: { ...changeEvents, end: endCounts },
  run: async (given, context) => {
    const { givenAct } = await import("../skill/library/given-library.ts");
    const { decide } = await import("../skill/library/index.ts");
    const { hasExpired, statusByUse } = await import("../skill/lifecycle/index.ts");
    const { libraryWithUses } = await import("./library-with-uses.ts");
    const library = await libraryWithUses(given, context);
    const { skills } = await library.list();
    let changed = 0;
    for (const skill of skills) {
      const { name, statistics } = skill;
      const next = statusByUse(skill);
      const expired = hasExpired(skill, Date.now());
      if (!expired && next === skill.status) continue;
      const decision = expired ? "retire" : next === "active" ? "promote" : "demote";
      changed += 1;
      const { successes, failures } = statistics;
      const why = expired ? "long unused" : `${successes} of ${successes + failures} uses succeeded`;
      const { status } = await decide(library, name, { decision, why, ...givenAct(given, context) });
      context.emit({ event: "change", name, decision, status, why });
    }
    await library.list();
    const counts = { skills: skills.length, changed };
    context.emit({ event: "end", ...counts });
    return counts;
  },
});

/**
 * Retires skills whose files, tools or versions have changed since, and takes back what is installed of them.
 *
 * @example
 * import { checkSkills } from "limbeck/record";
 *
 * console.log(await checkSkills({ library: "no-such-folder" })); // { skills: 0, changed: 0, left: 0 }
 */
export const checkSkills = defineOperation({
  ...head,
  name: "skills check",
  summary: "retire skills whose files, tools or versions have changed, and take back what is installed of them",
  input: checkInputs,
  events: checkEvents,
  run: async (given, context) => await (await import("./following/check.ts")).checkLibrary(given, context),
});

/**
 * Stored sessions as tasks that can be tried again, for a lift test of one's own agent.
 *
 * @example
 * import { replaySessions } from "limbeck/record";
 *
 * const { tasks } = await replaySessions({ library: "none", out: "tasks.jsonl" }, { store: "no-such-store" });
 * console.log(tasks); // 0
 */
export const replaySessions = defineOperation({
  ...head,
  name: "skills replay",
  summary: "stored sessions as tasks that can be tried again, for lift --agent",
  input: replayInputs,
  events: replayEvents,
  natives: () => ["duckdb"],
  run: async (given, context) => await (await import("./replay/replay.ts")).replayStored(given, context),
});
