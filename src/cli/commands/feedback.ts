/** `limbeck feedback`: an outcome for a trajectory that is stored already. */
import type { Reward, Trajectory } from "../../trajectory/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatNumber } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { readOptions, readScope, withStore } from "../with-store.ts";
import { givenJson } from "../../base/given-file.ts";
import { flag, text, texts } from "../options.ts";

export const feedback: Command = {
  group: "data",
  summary: "Add an outcome to a recorded trajectory",
  usage: "TRAJECTORY [--success | --failure] [--score NUMBER] [--reward NAME=NUMBER]… [--comment TEXT]",
  description:
    "Feedback is kept beside the trajectory, with its source; the last word counts. The beginning of an id is enough\n" +
    "where only one trajectory has it. Without an outcome a trajectory serves analysis and never lift.",
  arity: [1, 1],
  options: {
    ...readOptions,
    success: flag("It did what was asked"),
    failure: flag("It did not"),
    score: text("NUMBER", "How good it was"),
    reward: texts("NAME=NUMBER", "A reward with a name of its own"),
    comment: text("TEXT", "What there is to say"),
    source: text("NAME", 'Who says so. Default: "person"'),
    judge: flag("Let the chat model of LIMBECK_CHAT_… judge it by a rubric"),
    rubric: text("FILE", "JSON options of the reward rubric-judge: rubric, samples, minAgreement"),
  },
  examples: [
    "limbeck feedback trip-1 --success",
    'limbeck feedback trip-1 --failure --comment "asked twice for the same city"',
    "limbeck feedback trip-1 --score 0.7 --reward polite=1 --source survey",
    "limbeck feedback trip-1 --judge --rubric rubric.json",
  ],
  jsonFields: {
    run: "run of the trajectory",
    trajectory: "its id",
    rewards: "what was added: name, source, score and comment",
  },
  natives: ["duckdb"],
  run: (invocation) => {
    const given = readGiven(invocation);
    return withStore(invocation.storeRoot, async (store) => {
      const { addFeedback, addRewards, readFeedback } = await import("../../record/index.ts");
      const { findTrajectory } = await import("../show/find-trajectory.ts");
      const judges = invocation.flag("judge");
      const said = judges ? undefined : readFeedback(given);
      const scope = await readScope(invocation, store);
      const { run, trajectory } = await findTrajectory(store, invocation.positionals[0] ?? "", scope);
      const added =
        said === undefined
          ? await addRewards(store, run, trajectory.id, await judged(invocation, trajectory))
          : await addFeedback(store, trajectory.id, said, run);
      if (invocation.json) invocation.printJson(added);
      else
        invocation.print(`Added to ${cleanLine(trajectory.id)} in run ${cleanLine(run)}: ${summary(added.rewards)}.`);
      return EXIT.done;
    });
  },
};

async function judged(invocation: Invocation, trajectory: Trajectory): Promise<readonly Reward[]> {
  const [{ judgeTrajectories }, { chatServerFrom, openChatModel }] = await Promise.all([
    import("../../record/index.ts"),
    import("../../policy/chat/index.ts"),
  ]);
  const file = invocation.text("rubric");
  const options =
    file === undefined
      ? undefined
      : ((await givenJson(invocation.io, file, "the rubric")) as Readonly<Record<string, unknown>>);
  const model = openChatModel(chatServerFrom(invocation.io.env));
  const { signal } = invocation.io;
  const [rewards = []] = await judgeTrajectories([trajectory], {
    model,
    signal,
    ...(options === undefined ? {} : { options }),
  });
  return rewards;
}

function summary(rewards: readonly Reward[]): string {
  return rewards
    .map(({ name, score }) =>
      score.kind === "scored"
        ? `${cleanLine(name)} ${formatNumber(score.value)}`
        : `${cleanLine(name)} (${cleanLine(score.why)})`,
    )
    .join(", ");
}

function readGiven(invocation: Invocation): object {
  if (invocation.flag("success") && invocation.flag("failure")) {
    throw usageError("--success and --failure contradict each other; give one.");
  }
  const [score, comment] = [invocation.text("score"), invocation.text("comment")];
  const rewards = invocation.texts("reward").map((text): [string, number] => {
    const [name = "", value, ...more] = text.split("=");
    if (name === "" || value === undefined || more.length > 0) {
      throw usageError(`--reward takes NAME=NUMBER, not ${JSON.stringify(text)}.`);
    }
    return [name, number(value, `--reward ${name}`)];
  });
  return {
    ...(invocation.flag("success") ? { success: true } : {}),
    ...(invocation.flag("failure") ? { success: false } : {}),
    ...(score === undefined ? {} : { score: number(score, "--score") }),
    ...(rewards.length === 0 ? {} : { rewards: Object.fromEntries(rewards) }),
    ...(comment === undefined ? {} : { comment }),
    source: invocation.text("source") ?? "person",
  };
}

function number(text: string, option: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw usageError(`${option} takes a number, not ${JSON.stringify(text)}.`);
}
