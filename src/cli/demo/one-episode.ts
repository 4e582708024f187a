/** One episode as a person reads it, and the first errand that the agent fails. */
import type { Env } from "../../env/index.ts";
import { evaluateAgent } from "../../eval/index.ts";
import type { LocalModel } from "../../policy/local/index.ts";
import { createChatDialect, requireTokenizer } from "../../policy/local/index.ts";
import { createTokenAgent } from "../../walk/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { truncate } from "../look/text-width.ts";
import { plural } from "../look/units.ts";

const TASKS = 8;
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
  return (await evaluateAgent({ env, agent, tasks, seed: "shown", signal })).trajectories;
}

/** The goal, every action and what came of it, and how it ended. */
export function printEpisode(invocation: Invocation, title: string, trajectory: Trajectory): void {
  const { style, print, io } = invocation;
  const width = Math.max(40, Math.min(io.terminal.out ? io.terminal.columns : 100, 100));
  print();
  print(style.bold(title));
  print(style.dim(truncate(cleanLine(trajectory.task.goal), width)));
  for (const { action, reply, times } of runsOf(trajectory)) {
    const again = times > 1 ? style.dim(` (${times} times)`) : "";
    print(`  ${style.cyan(`> ${truncate(action, width - 16)}`)}${again}`);
    print(`    ${style.dim(truncate(reply, width - 4))}`);
  }
  const steps = plural(trajectory.steps.length, "step");
  print(trajectory.success === true ? style.green(`  done in ${steps}`) : style.yellow(`  not done after ${steps}`));
}

interface Run {
  readonly action: string;
  readonly reply: string;
  times: number;
}

/** Actions with what came of them; the same one several times in a row is one entry. */
function runsOf({ steps, closing }: Trajectory): Run[] {
  const runs: Run[] = [];
  steps.forEach((step, at) => {
    const action = cleanLine(step.action);
    const reply = cleanLine(steps[at + 1]?.observation ?? closing?.observation ?? "");
    const last = runs.at(-1);
    if (last !== undefined && last.action === action && last.reply === reply) last.times += 1;
    else runs.push({ action, reply, times: 1 });
  });
  return runs;
}
