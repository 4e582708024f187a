/**
 * Trains the model of settings.ts on an OpenEnv server:
 *
 *     npm run train              # about a minute, on the small server of this folder
 *     npm run train -- --long    # some minutes
 *     npm run train -- --tiny    # one update, to see that everything runs
 *     OPENENV_URL=ws://… npm run train
 */
import { train } from "limbeck";
import { reward } from "./reward.ts";
import { startServer } from "./server.ts";
import { ANSWER_TOKENS, MODEL, SIZES } from "./settings.ts";
import world from "./world.ts";

const size = SIZES[process.argv.includes("--long") ? "long" : process.argv.includes("--tiny") ? "tiny" : "short"];
const given = process.env["OPENENV_URL"];
const server = given === undefined ? await startServer() : undefined;
try {
  const env = await world.create({ url: given ?? server?.url ?? "" });
  const { steps, tasks, group } = size.learning;
  // The model has read the world of the small server. For another one, copy an expert first: recipe "otr".
  const { before, after, model } = await train({
    env,
    model: MODEL,
    recipe: "grpo",
    reward,
    validation: { every: 0 },
    report: { tasks: size.report },
    steps,
    settings: { tasks, group, answerTokens: ANSWER_TOKENS },
  });
  process.stdout.write(`Success before ${before.success}, after ${steps} updates ${after.success}\n`);
  process.stdout.write(`The model lies in ${model}. Look at the runs: npx limbeck runs\n`);
} finally {
  await server?.close();
}
