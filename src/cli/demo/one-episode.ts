/** One episode as a person reads it, and the first errand that the agent fails. */
import type { Env } from "../../env/index.ts";
import { evaluate } from "../../eval/index.ts";
import type { LocalModel } from "../../policy/local/index.ts";
import { createChatDialect, requireTokenizer } from "../../policy/local/index.ts";
import { createTokenAgent } from "../../rollout/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { truncate } from "../look/text-width.ts";

const TASKS = 16;
const TEMPERATURE = 0.4;

/** The first validation tasks, played once each; the same draws whenever it is called. */
export async function playValidation(
  model: LocalModel,
  env: Env,
  signal: AbortSignal,
  wanted?: readonly Task[],
): Promise<readonly Trajectory[]> {
  const tasks: Task[] = [...(wanted ?? [])];
  if (wanted === undefined) for await (const task of env.tasks("valid", { count: TASKS })) tasks.push(task);
  const dialect = await createChatDialect(requireTokenizer(model));
  const agent = createTokenAgent({ policy: model, dialect, temperature: TEMPERATURE, answerTokens: 24 });
  return (await evaluate({ env, agent, tasks, seed: "shown", signal })).trajectories;
}

/** The goal, every action and what came of it, and how it ended. */
export function printEpisode(invocation: Invocation, title: string, trajectory: Trajectory): void {
  const { style, print, io } = invocation;
  const width = Math.max(40, Math.min(io.terminal.out ? io.terminal.columns : 100, 100));
  print();
  print(style.bold(title));
  print(style.dim(truncate(cleanLine(trajectory.task.goal), width)));
  trajectory.steps.forEach((step, at) => {
    const next = trajectory.steps[at + 1]?.observation ?? trajectory.closing?.observation ?? "";
    const action = cleanLine(step.action);
    print(`  ${style.cyan(`> ${truncate(action, width - 4)}`)}`);
    print(`    ${style.dim(truncate(cleanLine(next), width - 4))}`);
  });
  const steps = `${trajectory.steps.length} steps`;
  print(trajectory.success === true ? style.green(`  done in ${steps}`) : style.yellow(`  not done after ${steps}`));
}
