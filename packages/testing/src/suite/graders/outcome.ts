/** What the world itself says of the end. */
import { scored, unscored } from "limbeck-base/trajectory/score";
import { defineGrader } from "../grader.ts";

export const outcome = defineGrader({
  id: "outcome",
  meaning: "Whether the world says that the task is done; it takes no answer.",
  options: {},
  grade: ({ trajectory: { success } }) => ({
    score: success === null ? unscored("the world does not say whether it is a success") : scored(Number(success)),
  }),
});
