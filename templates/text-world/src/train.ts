/**
 * Trains the model of settings.ts in the world of this folder:
 *
 *     npm run train              # about half a minute
 *     npm run train -- --long    # some minutes
 *     npm run train -- --tiny    # one update, to see that everything runs
 */
import { train } from "limbeck";
import { reward } from "./reward.ts";
import { ANSWER_TOKENS, MODEL, SIZES } from "./settings.ts";
import world from "./world.ts";

const size = SIZES[process.argv.includes("--long") ? "long" : process.argv.includes("--tiny") ? "tiny" : "short"];
const env = await world.create();
const common = { env, validation: { every: 0 }, report: { tasks: size.report } };

// 1. The model has never read this world. It copies the expert until it speaks the world's language.
const copied = await train({
  ...common,
  model: MODEL,
  recipe: "otr",
  demonstrator: world.demonstrators?.["expert"],
  steps: size.copying.steps,
  settings: { form: "imitation", tasks: size.copying.tasks, answerTokens: ANSWER_TOKENS, learningRate: 3e-3 },
});
say(`Success before ${copied.before.success}, after copying the expert ${copied.after.success}`);

// 2. From there it learns by its own attempts and by the reward of this folder.
const { steps, tasks, group } = size.learning;
const learned = await train({
  ...common,
  model: copied.model,
  recipe: "grpo",
  reward,
  steps,
  settings: { tasks, group, answerTokens: ANSWER_TOKENS, learningRate: 1e-4 },
});
say(`After ${steps} updates from its own attempts ${learned.after.success}`);
say(`The model lies in ${learned.model}. Look at the runs: npx limbeck runs`);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
