/**
 * Proposals: a library of their own inside the library's folder, which no agent is offered anything from. Each has its SKILL.md with
 * its evidence, and `install.diff`: what installing it would write. `limbeck skills accept` takes one into the library; one that is
 * retired there is not proposed again.
 */
import { join } from "node:path";
import { errorData, isObject, replaceFile, withoutUndefined } from "../../base/index.ts";
import type { SessionWindow } from "../../record/following/session-window.ts";
import { withShownOutcomes } from "../../record/summary/with-outcomes.ts";
import { addSkills, extractSkills } from "../../skill/extract/index.ts";
import { isSame } from "../../skill/extract/duplicates.ts";
import { agents, type AgentId } from "../../skill/install/agents.ts";
import { planInstall } from "../../skill/install/plan.ts";
import { decide, openLibrary, type Library, type LibrarySkill, type Link } from "../../skill/library/index.ts";
import { createStatisticsAnalyst } from "../../skill/statistics/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { maybeCount } from "../model/open-given.ts";
import { givenSignals, withGround } from "./extract.ts";
import { diffText, givenAgent, givenWhere, requireNoSecrets } from "./install.ts";
import { givenBy, givenLibrary, givenNames, givenWhy } from "./open-given.ts";

const FOLDER = "proposals";

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

export interface Proposals {
  readonly root: string;
  /** New ones since it was opened. */
  readonly count: number;
  /** What the sessions show now that was not proposed before. */
  from(window: SessionWindow): Promise<Proposal[]>;
}

export function proposalsOf(invocation: Invocation): Proposals {
  const library = givenLibrary(invocation);
  const proposals = openLibrary(join(library.root, FOLDER));
  const signals = givenSignals(invocation);
  let count = 0;
  return {
    root: proposals.root,
    get count() {
      return count;
    },
    from: async (window) => {
      const { trajectories } = withShownOutcomes(window.trajectories, signals);
      const { skills } = await extractSkills(trajectories, {
        analyst: createStatisticsAnalyst(),
        ...withoutUndefined({ leastTasks: maybeCount(invocation, "least") }),
        runOf: ({ id }) => window.runOf(id),
        signal: invocation.io.signal,
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
        const shown = await installation(invocation, library, skill, trajectories);
        await replaceFile(join(proposals.root, name, "install.diff"), `${shown.diff ?? `# ${shown.why}`}\n`);
        found.push({ name, text: skill.text, outcome, evidence: skill.evidence, ...shown });
      }
      return found;
    },
  };
}

/** What `limbeck skills install` would write for the agent of the sessions, or for the one that `--for` names. */
async function installation(
  invocation: Invocation,
  library: Library,
  skill: LibrarySkill,
  trajectories: readonly Trajectory[],
): Promise<Pick<Proposal, "diff" | "why">> {
  const agent = givenAgent(invocation) ?? agentOf(skill, trajectories);
  if (agent === undefined)
    return { why: `no agent to install it for; --for ${Object.keys(agents).join("|")} names one` };
  try {
    const changes = await planInstall({
      // It is not in the library yet, so it has no history there.
      library: { ...library, history: () => Promise.resolve([]) },
      agent,
      user: invocation.flag("user"),
      where: givenWhere(invocation),
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

/** `limbeck skills accept NAME…`: from the proposals into the library, as a candidate; nothing is installed. */
export async function runAccept(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const proposals = openLibrary(join(library.root, FOLDER));
  const act = { by: givenBy(invocation), action: "accepted", ...givenWhy(invocation) };
  const names = givenNames(invocation, true);
  const all = await Promise.all(names.map((name) => proposals.read(name)));
  for (const { version: _, ...skill } of all) {
    const [added] = await addSkills(library, [skill], act);
    await decide(proposals, skill.name, { decision: "retire", by: act.by, why: "accepted" });
    const { name = skill.name, outcome = "known" } = added ?? {};
    const { status } = await library.read(name);
    if (invocation.json) invocation.printJson({ event: "skill", name, outcome, status });
    else
      invocation.print(
        `${outcome.padEnd(6)} ${status.padEnd(11)} ${name}. Not installed: "limbeck skills lift ${name}" proves it, then "limbeck skills install ${name} --for AGENT" shows a diff and asks.`,
      );
  }
  await library.list();
  return EXIT.done;
}
