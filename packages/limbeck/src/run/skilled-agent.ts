/** Rollouts with a library: skills that fit go into the prompt, the choice is kept, and outcomes reach the skills. */
import { withOpening } from "limbeck-core/walk/mind/prompter";
import { addSkills } from "limbeck-core/skill/extract/add-skills";
import { extractSkills } from "limbeck-core/skill/extract/extract";
import { protocolEntries, storedProtocol } from "limbeck-core/skill/extract/protocol";
import { createStatisticsAnalyst } from "limbeck-core/skill/statistics/statistics";
import { textOpening } from "limbeck-core/skill/injection";
import { givenLibrary } from "limbeck-core/skill/library/given-library";
import { decide } from "limbeck-core/skill/library/decide";
import type { Library } from "limbeck-core/skill/library/library";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import { statusByUse } from "limbeck-core/skill/lifecycle/lifecycle";
import { choiceRecord } from "limbeck-core/skill/selection/for-prompt";
import { isInUse } from "limbeck-recorder/selection/offered-skill";
import { SELECTOR, selectorNotice } from "limbeck-recorder/selection/proven-with";
import { createSelector, type Choice } from "limbeck-recorder/selection/select";
import { promptForm, promptText } from "limbeck-core/skill/selection/prompt-text";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { usageError } from "limbeck-base/base/errors";
import type { RolloutContext, RolloutInput } from "./rollout.inputs.ts";
import type { OpenedAgent } from "./agent.ts";

export interface ChosenAgent extends OpenedAgent {
  /** What is kept of an episode of this agent. Default: the episode as it is. */
  readonly finished?: (trajectory: Trajectory) => Promise<Trajectory>;
}

/** The agent as it is without `--library`. */
export async function withLibrary(
  { library: root, protocol: protocolled, learn: learns }: RolloutInput,
  { cwd, environment, given, note }: Pick<RolloutContext, "cwd" | "environment" | "given" | "note">,
  chosen: OpenedAgent,
): Promise<ChosenAgent> {
  if (root === undefined) {
    if (!protocolled && !learns) return chosen;
    await chosen.close();
    throw usageError(`--${protocolled ? "protocol" : "learn"} is about a library of skills: give --library DIR too.`);
  }
  const { prompted } = chosen;
  if (prompted === undefined) {
    await chosen.close();
    throw usageError("--library needs a policy that reads prompts: a model folder, bundled or chat.");
  }
  if (learns && given("budget")) {
    await chosen.close();
    throw usageError(
      "--learn plays task after task, so that --budget is not shared between them: use --limit or --count.",
    );
  }
  const library = givenLibrary({ library: root }, { cwd, environment });
  const protocol = protocolled ? await storedProtocol(library.root) : undefined;
  const branches = protocol === undefined ? [] : protocolEntries(protocol);
  const counts = { told: 0, branches: branches.length, rules: 0, demoted: 0 };
  const select = async (): Promise<ReturnType<typeof createSelector>> => {
    const { skills } = await library.list();
    return createSelector([...skills, ...branches]);
  };
  let selector = await select();
  if (promptForm(chosen) === "line") await noteProofs(library, note);
  const chosenFor = new Map<string, Choice>();
  const textFor = ({ id, goal }: Task): string | undefined => {
    const choice = selector.select({ goal });
    // With --learn the selector may be another one when the episode ends.
    if (learns) chosenFor.set(id, choice);
    return promptText(choice.skills, promptForm(chosen));
  };
  const finished = async (trajectory: Trajectory): Promise<Trajectory> => {
    const { task, success, ending, parent, id } = trajectory;
    const choice = chosenFor.get(task.id) ?? selector.select({ goal: task.goal });
    const own = choice.skills.filter(({ name }) => !branches.some((branch) => branch.name === name));
    if (choice.skills.length > 0) counts.told += 1;
    // A branch shares its parent's opening: one outcome for each time a skill was read.
    if (success !== null && ending !== "failed" && parent === undefined) {
      for (const { name } of own) {
        await library.report(name, {
          at: new Date().toISOString(),
          offered: true,
          success,
          trajectory: id,
          by: "rollout",
        });
      }
      if (learns) {
        const demoted = await tend(library, own.map(({ name }) => name)); // prettier-ignore
        const rules = success ? await ruleOf(library, trajectory) : 0;
        counts.demoted += demoted;
        counts.rules += rules;
        if (demoted + rules > 0) selector = await select();
      }
    }
    return { ...trajectory, info: { ...trajectory.info, skillChoice: choiceRecord(choice) } };
  };
  return {
    ...chosen,
    agent: prompted((prompting) => withOpening(prompting, textOpening(textFor))),
    finished,
    metrics: () => ({
      ...chosen.metrics?.(),
      "library/told": counts.told,
      ...(protocolled ? { "library/branches": counts.branches } : {}),
      ...(learns ? { "library/rules": counts.rules, "library/demoted": counts.demoted } : {}),
    }),
  };
}

/** The line that a small model was trained on has no room for the notice. */
async function noteProofs(library: Library, note: RolloutContext["note"]): Promise<void> {
  for (const skill of (await library.list()).skills.filter(isInUse)) {
    const notice = selectorNotice(skill, SELECTOR);
    if (notice !== undefined) note(`! ${skill.name}: ${notice}.`);
  }
}

/** Down by what its uses say, at once; never up: that takes a measured lift. Gives how many went. */
async function tend(library: Library, names: readonly string[]): Promise<number> {
  let demoted = 0;
  for (const name of names) {
    const skill = await library.read(name);
    const next = statusByUse(skill);
    if (next === skill.status || next === "active") continue;
    const { successes, failures } = skill.statistics;
    await decide(library, name, {
      decision: "demote",
      by: "rollout",
      why: `${successes} of ${successes + failures} uses succeeded`,
    });
    demoted += 1;
  }
  return demoted;
}

/** What one success shows, as advice that nobody has proven: offered after active skills, and gone when it fails. */
async function ruleOf(library: Library, trajectory: Trajectory): Promise<number> {
  const { skills } = await extractSkills([trajectory], { analyst: createStatisticsAnalyst(), leastTasks: 1 });
  const offered = skills.flatMap((skill) => (isOffered(skill) ? [{ ...skill, status: "advisory" as const }] : []));
  const added = await addSkills(library, offered, { by: "rollout", action: "learned", why: "one episode" });
  return added.filter(({ outcome }) => outcome === "added").length;
}

function isOffered({ status }: Pick<LibraryEntry, "status">): boolean {
  return status === "candidate";
}
