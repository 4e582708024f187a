/** Rollouts with a library: skills that fit go into the prompt, the choice is kept, and outcomes reach the skills. */
import { withOpening } from "../../walk/index.ts";
import { sectionTemplates } from "../../skill/index.ts";
import { skillOpening } from "../../skill/injection.ts";
import { createSelector } from "../../skill/selection/index.ts";
import { choiceRecord } from "../../skill/selection/select.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { usageError } from "../parse.ts";
import type { ChosenAgent } from "../rollout/chosen-agent.ts";
import { givenLibrary } from "./open-given.ts";

/** The agent as it is without `--library`. */
export async function withLibrary(invocation: Invocation, chosen: ChosenAgent): Promise<ChosenAgent> {
  if (invocation.text("library") === undefined) return chosen;
  const { prompted, countTokens } = chosen;
  if (prompted === undefined) {
    await chosen.close();
    throw usageError("--library needs a policy that reads prompts: a model folder, bundled or chat.");
  }
  const library = givenLibrary(invocation);
  const selector = createSelector((await library.list()).skills, countTokens === undefined ? {} : { countTokens });
  const textFor = ({ goal }: Task): string | undefined => {
    const text = selector
      .select({ goal })
      .skills.map((skill) => skill.text)
      .join(" ");
    return text === "" ? undefined : text;
  };
  // Small models read the short form; a chat is told what the section is for.
  const template = countTokens === undefined ? sectionTemplates.published : sectionTemplates.compact;
  const finished = async (trajectory: Trajectory): Promise<Trajectory> => {
    const { task, success, ending, parent, id } = trajectory;
    const choice = selector.select({ goal: task.goal });
    // A branch shares its parent's opening: one outcome for each time a skill was read.
    if (success !== null && ending !== "failed" && parent === undefined) {
      for (const { name } of choice.skills) {
        await library.report(name, {
          at: new Date().toISOString(),
          offered: true,
          success,
          trajectory: id,
          by: "rollout",
        });
      }
    }
    return { ...trajectory, info: { ...trajectory.info, skillChoice: choiceRecord(choice) } };
  };
  return {
    ...chosen,
    agent: prompted((prompting) => withOpening(prompting, skillOpening(textFor, { template }))),
    finished,
  };
}
