/** `limbeck feedback`: an outcome for a trajectory that is stored already. */
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { defineOperation } from "limbeck-base/base/operation";
import { readInputs } from "../store/read.inputs.ts";
import type { FeedbackGiven } from "./feedback.ts";

/** Adds an outcome to a stored trajectory. */
export const giveFeedback = defineOperation({
  name: "feedback",
  group: "data",
  summary: "Add an outcome to a recorded trajectory",
  usage: "TRAJECTORY [--success | --failure] [--score NUMBER] [--reward NAME=NUMBER]… [--comment TEXT]",
  description:
    "Feedback is kept beside the trajectory, with its source; the last word counts. The beginning of an id is enough\n" +
    "where only one trajectory has it. Without an outcome a trajectory serves analysis and never lift.",
  input: {
    id: input.text("TRAJECTORY", "What it is about", { at: 0, required: true }),
    ...readInputs,
    success: input.flag("It did what was asked"),
    failure: input.flag("It did not"),
    score: input.number("NUMBER", "How good it was", { least: -Number.MAX_VALUE }),
    rewards: input.values("NAME=NUMBER", "A reward with a name of its own", { flag: "reward" }),
    comment: input.text("TEXT", "What there is to say"),
    source: input.text("NAME", "Who says so", { default: "person" }),
    judge: input.flag("Let the chat model of LIMBECK_CHAT_… judge it by a rubric"),
    rubric: input.path("FILE", "JSON options of the reward rubric-judge: rubric, samples, minAgreement"),
  },
  rules: [{ never: ["success", "failure"], say: "--success and --failure contradict each other; give one." }],
  examples: [
    "limbeck feedback trip-1 --success",
    'limbeck feedback trip-1 --failure --comment "asked twice for the same city"',
    "limbeck feedback trip-1 --score 0.7 --reward polite=1 --source survey",
    "limbeck feedback trip-1 --judge --rubric rubric.json",
  ],
  line: {
    run: "run of the trajectory",
    trajectory: "its id",
    rewards: "what was added: name, source, score and comment",
  },
  shows: undefined as { added(given: FeedbackGiven): void } | undefined,
  run: async ({ id, success, failure, score, rewards, comment, source, judge, rubric, ...read }, context) => {
    const [{ addFeedback, addRewards, readFeedback }, { findTrajectory }, { readStore }] = await Promise.all([
      import("./feedback.ts"),
      import("../store/find-trajectory.ts"),
      import("../store/with-store.ts"),
    ]);
    const outcome = { success: success || (failure ? false : undefined), score, comment, source };
    const named = Object.keys(rewards as object).length === 0 ? {} : { rewards };
    const given = judge ? undefined : readFeedback({ ...withoutUndefined(outcome), ...named });
    return await readStore(read, context, async (store, scope) => {
      const { run, trajectory } = await findTrajectory(store, id, scope);
      const added =
        given === undefined
          ? await addRewards(
              store,
              run,
              trajectory.id,
              await (await import("./judge.ts")).judgeTrajectory(trajectory, rubric, context),
            )
          : await addFeedback(store, trajectory.id, given, run);
      context.emit(added);
      context.show.added(added);
      return added;
    });
  },
});
