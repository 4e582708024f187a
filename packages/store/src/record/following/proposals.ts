/**
 * Proposals: a library of their own inside the library's folder, which no agent is offered anything from. Each has its SKILL.md with
 * its evidence, and `install.diff`: what installing it would write. `limbeck skills accept` takes one into the library; one that is
 * retired there is not proposed again.
 */
import { join } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { diffText } from "limbeck-base/base/diff";
import { errorData } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import { replaceFile } from "limbeck-base/base/files";
import { withoutUndefined } from "limbeck-base/base/fields";
import { addSkills } from "limbeck-core/skill/extract/add-skills";
import { extractSkills } from "limbeck-core/skill/extract/extract";
import { isSame } from "limbeck-core/skill/extract/duplicates";
import { agents, type AgentId } from "limbeck-core/skill/install/agents";
import { placesOf, requireNoSecrets } from "limbeck-core/skill/install/carry-out";
import { planInstall } from "limbeck-core/skill/install/plan";
import { givenLibrary } from "limbeck-core/skill/library/given-library";
import { openLibrary, type Library } from "limbeck-core/skill/library/library";
import type { LibrarySkill, Link } from "limbeck-core/skill/library/library-skill";
import { createStatisticsAnalyst } from "limbeck-core/skill/statistics/statistics";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { FollowContext, FollowInput } from "../skills.inputs.ts";
import { withShownOutcomes } from "../summary/with-outcomes.ts";
import { givenSignals, withGround } from "./extract.ts";
import type { SessionWindow } from "./session-window.ts";

/** The proposals for a library. */
export function proposalsIn({ root }: Library): Library {
  return openLibrary(join(root, "proposals"));
}

export interface Proposal {
  readonly name: string;
  readonly text: string;
  /** "added": it is new. "merged": more sessions show it. */
  readonly outcome: "added" | "merged";
  readonly evidence: readonly Link[];
  /** What installing it would write; undefined where nothing can be said, with the reason. */
  readonly diff?: string;
  readonly why?: string;
}

export type Proposals = ReturnType<typeof proposalsOf>;

export function proposalsOf(given: FollowInput, context: FollowContext) {
  const library = givenLibrary(given, context);
  const proposals = proposalsIn(library);
  const signals = givenSignals(given);
  let count = 0;
  return {
    root: proposals.root,
    get count() {
      return count;
    },
    /** What the sessions show now that was not proposed before. */
    from: async (window: SessionWindow): Promise<Proposal[]> => {
      const { trajectories } = withShownOutcomes(window.trajectories, signals);
      const { skills } = await extractSkills(trajectories, {
        analyst: createStatisticsAnalyst(),
        ...withoutUndefined({ leastTasks: given.least }),
        runOf: ({ id }) => window.runOf(id),
        signal: context.signal,
      });
      const [{ skills: inUse }, { skills: before }] = [await library.list(), await proposals.list()];
      const wanted = skills.filter((skill) => {
        const isThere = before.some((one) => isSame(one, skill));
        // One that is proposed and turns out to be hostile goes into quarantine; a new one of the kind is not proposed at all.
        if (skill.status !== "candidate") return isThere && skill.status === "quarantined";
        return !inUse.some((one) => isSame(one, skill));
      });
      const act = { by: "follow", action: "proposed" };
      const added = await addSkills(proposals, await withGround(wanted, trajectories), act);
      const found: Proposal[] = [];
      for (const { name, outcome } of added) {
        if (outcome === "known") continue;
        const skill = await proposals.read(name);
        if (skill.status === "archived" || skill.status === "quarantined") continue;
        if (outcome === "added") count += 1;
        const shown = await installation(given, context, library, skill, trajectories);
        await replaceFile(join(proposals.root, name, "install.diff"), `${shown.diff ?? `# ${shown.why}`}\n`);
        found.push({ name, text: skill.text, outcome, evidence: skill.evidence, ...shown });
      }
      return found;
    },
  };
}

/** What `limbeck skills install` would write for the agent of the sessions, or for the one that `--for` names. */
async function installation(
  given: FollowInput,
  context: FollowContext,
  library: Library,
  skill: LibrarySkill,
  trajectories: readonly Trajectory[],
): Promise<Pick<Proposal, "diff" | "why">> {
  const agent = given.agent ?? agentOf(skill, trajectories);
  if (agent === undefined)
    return { why: `no agent to install it for; --for ${Object.keys(agents).join("|")} names one` };
  try {
    const changes = await planInstall({
      // It is not in the library yet, so it has no history there.
      library: { ...library, history: () => Promise.resolve([]) },
      agent,
      user: given.user,
      where: placesOf(given, context),
      skills: [skill],
      // Only shown: it is proven before it is installed.
      force: true,
      at: new Date().toISOString(),
    });
    requireNoSecrets(changes);
    const files = changes.map(({ path, before, after }) => `--- ${cleanLine(path)}\n${diffText(before, after)}`);
    return { diff: files.join("\n") };
  } catch (error) {
    return { why: cleanLine(errorData(error).message) };
  }
}

function agentOf({ evidence }: LibrarySkill, trajectories: readonly Trajectory[]): AgentId | undefined {
  const cited = new Set(evidence.map(({ trajectory }) => trajectory));
  for (const { id, info } of trajectories) {
    const session = info?.["session"];
    const format = cited.has(id) && isObject(session) ? session["format"] : undefined;
    if (typeof format === "string" && Object.hasOwn(agents, format)) return format as AgentId;
  }
  return undefined;
}
