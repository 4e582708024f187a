/**
 * OTR and RAFT: what is forgotten where a model is fine-tuned on demonstrations, beside plain imitation at the same fit.
 *
 *     npx tsx research/proofs/forgetting.ts --jobs 16
 *
 * The bundled model learns three of household's errands from the demonstrator. `fit` is the mean log-probability of the
 * demonstrator's words in unseen tasks of them, `success` how many of these the model then solves. What it may forget: the
 * other three errands, following advice in them, and the text of that world, which it has read in its youth (mean
 * log-probability of every token of the demonstrator's episodes, what the world says included).
 */
import { join } from "node:path";
import { createChatDialect, evaluate, openModel, train, type LocalModel, type Task, type Trajectory } from "limbeck";
import { mean } from "limbeck/base";
import { evaluateAgent } from "limbeck/eval";
import { openWorld, type OpenedWorld } from "limbeck/training";
import { agentFor, demonstrate } from "limbeck/update";
import { workflowText } from "limbeck/skill";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { commonFit, differenceWords, keptAt, type Point } from "./matched.ts";

const LEARNED = ["pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place"];
const OTHERS = ["pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep"];
const UPDATES = [4, 8, 16, 24, 32, 48];
const ARMS: Readonly<Record<string, { readonly recipe: string; readonly settings: Readonly<Record<string, string>> }>> = {
  imitation: { recipe: "otr", settings: { form: "imitation" } },
  otr: { recipe: "otr", settings: {} },
  raft: { recipe: "raft", settings: { group: "1" } },
};
const KEPT = ["others", "advised", "text"] as const;

interface Result {
  readonly points: readonly Point[];
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const { recipe, settings } = ARMS[arm] as (typeof ARMS)[string];
  const options = {
    ...worldOf(LEARNED),
    recipe,
    seed,
    settings: quick ? { tasks: 1, maxSteps: 4 } : { tasks: 16 },
    texts: Object.entries(settings),
    validation: { every: 0 },
    report: { tasks: 1 },
    threads: 1,
    keep: false,
    dir: join(dir, "tuned"),
    resume: true,
  } as const;
  const measure = await measuring(seed, quick ? 2 : 100);
  const points = [{ updates: 0, ...(await measure(undefined)) }];
  for (const updates of quick ? [1] : UPDATES) {
    const { model } = await train({ ...options, steps: updates });
    points.push({ updates, ...(await measure(model)) });
  }
  return { points };
}

const worldOf = (families: readonly string[]) => ({ env: "household", envOptions: { dial: "tiny", families } });

/** Everything that a point is made of, on the same unseen tasks every time. */
async function measuring(seed: number, count: number) {
  const [learned, others] = [await unseen(LEARNED, count), await unseen(OTHERS, count)];
  return async (policy = "bundled"): Promise<Omit<Point, "updates">> => {
    const { policy: folder, ...place } = { policy, split: "test", tasks: count, answerTokens: 24, temperature: 0.4, seed, threads: 1 };
    const successOf = async (families: readonly string[]): Promise<number> =>
      (await evaluate({ ...worldOf(families), ...place, policy: folder })).success ?? Number.NaN;
    const model = await openModel(policy === "bundled" ? bundled() : policy, { threads: 1 });
    try {
      return {
        fit: await likelihood(model, learned.shown, "answers"),
        kept: {
          success: await successOf(LEARNED),
          others: await successOf(OTHERS),
          advised: await advised(model, others, seed),
          text: await likelihood(model, others.shown, "everything"),
        },
      };
    } finally {
      await model.close();
    }
  };
}
