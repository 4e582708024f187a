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
import { createChatDialect, evaluate, openModel, rollout, train, type LocalModel, type Task } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { evaluateAgent } from "limbeck/eval";
import { bundledModel, requireTokenizer } from "limbeck/local";
import { getRecipe, resolveSettings } from "limbeck/update";
import { workflowText } from "../../packages/core/src/skill/statistics/wording.ts";
import { openWorld } from "../../packages/training/src/training/parts.ts";
import { agentFor } from "../../packages/core/src/update/agent.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { commonFit, differenceWords, keptAt, type Point } from "./matched.ts";

const LEARNED = ["pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place"];
const OTHERS = ["pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep"];
const UPDATES = [4, 8, 16, 24, 32, 48];
const ARMS: Readonly<Record<string, { readonly recipe: string; readonly settings: Readonly<Record<string, string>> }>> =
  {
    imitation: { recipe: "otr", settings: { form: "imitation" } },
    otr: { recipe: "otr", settings: {} },
    raft: { recipe: "raft", settings: { group: "1" } },
  };

interface Result {
  readonly points: readonly Point[];
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const { recipe, settings } = ARMS[arm] as (typeof ARMS)[string];
  const options = {
    ...worldOf(LEARNED),
    recipe,
    seed,
    settings: quick ? { tasks: 2 } : { tasks: 16 },
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

/** The demonstrator's way through an unseen task: what the world said before each of its actions. */
interface Shown {
  readonly task: Task;
  readonly turns: readonly { readonly observation: string; readonly action: string }[];
}

async function shownIn(families: readonly string[], tasks: number): Promise<Shown[]> {
  const played = await rollout({ ...worldOf(families), policy: "expert", split: "test", tasks, group: 1, seed: 1 });
  return played.trajectories.map(({ task, steps }) => ({ task, turns: steps }));
}

/** Everything that a point is made of, on the same unseen tasks every time. */
async function measuring(seed: number, tasks: number) {
  const [learned, others] = [await shownIn(LEARNED, tasks), await shownIn(OTHERS, tasks)];
  return async (folder = bundledModel("household")): Promise<Omit<Point, "updates">> => {
    const successOf = async (families: readonly string[]): Promise<number> => {
      const how = { split: "test", tasks, answerTokens: 24, temperature: 0.4, seed, threads: 1 };
      return (await evaluate({ ...worldOf(families), ...how, policy: folder })).success ?? Number.NaN;
    };
    const model = await openModel(folder, { threads: 1 });
    try {
      return {
        fit: await likelihood(model, learned, "answers"),
        kept: {
          success: await successOf(LEARNED),
          others: await successOf(OTHERS),
          advised: await advised(model, others, seed),
          text: await likelihood(model, others, "everything"),
        },
      };
    } finally {
      await model.close();
    }
  };
}

/** Success where the way is told at the opening. */
async function advised(model: LocalModel, shown: readonly Shown[], seed: number): Promise<number> {
  const ways = new Map(shown.map(({ task, turns }) => [task.id, workflowText(turns.map(({ action }) => action))]));
  const settings = resolveSettings({
    name: "grpo",
    recipe: getRecipe("grpo"),
    credit: "grpo",
    given: { answerTokens: 24 },
  });
  const dialect = await createChatDialect(requireTokenizer(model));
  const { env } = await openWorld(worldOf(OTHERS));
  const agent = agentFor({ model, dialect, settings }, { temperature: 0.4, tell: ({ id }) => ways.get(id) });
  const { evaluation } = await evaluateAgent({
    env,
    agent,
    tasks: shown.map(({ task }) => task),
    seed: `${seed} told`,
  });
  return evaluation.success ?? Number.NaN;
}

/** Mean log-probability of a token: of the demonstrator's answers, or of everything that stands there. */
async function likelihood(model: LocalModel, shown: readonly Shown[], of: "answers" | "everything"): Promise<number> {
  const dialect = await createChatDialect(requireTokenizer(model));
  const rows = shown.map(({ turns }) => {
    const parts = turns.flatMap(({ observation, action }, at) => [
      { ids: at === 0 ? dialect.opening(observation) : dialect.turn(observation), on: of === "everything" },
      { ids: dialect.reply(action), on: true },
    ]);
    const ids = Int32Array.from(parts.flatMap((part) => [...part.ids]));
    const mask = Uint8Array.from(parts.flatMap((part) => Array.from(part.ids, () => Number(part.on))));
    // Nothing predicts the first token.
    mask[0] = 0;
    return { ids, mask };
  });
  const scored = await model.score(rows, { statistics: ["logprob"] });
  let [sum, tokens] = [0, 0];
  for (const [at, { mask }] of rows.entries()) {
    for (const [token, on] of mask.entries()) {
      sum += on * (scored[at]?.logprob?.[token] ?? 0);
      tokens += on;
    }
  }
  return sum / tokens;
}

const MEASURES = ["success", "others", "advised", "text"] as const;

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| arm | updates | fit | learned errands | other errands | advised | text |");
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const arm of Object.keys(ARMS)) {
    const curves = results.filter((one) => one.arm === arm).map(({ result }) => result.points);
    for (const [at, { updates }] of (curves[0] ?? []).entries()) {
      const fit = mean(curves.map((points) => points[at]?.fit ?? Number.NaN));
      const kept = MEASURES.map((what) =>
        mean(curves.map((points) => points[at]?.kept[what] ?? Number.NaN)).toFixed(3),
      );
      print(`| ${arm} | ${updates} | ${fit.toFixed(3)} | ${kept.join(" | ")} |`);
    }
  }
  print();
  for (const arm of Object.keys(ARMS).slice(1)) {
    const pairs = [...new Set(results.map(({ seed }) => seed))].flatMap((seed) => {
      const of = (wanted: string) => results.find((one) => one.arm === wanted && one.seed === seed)?.result.points;
      const [plain, own] = [of("imitation"), of(arm)];
      return plain === undefined || own === undefined ? [] : [{ plain, own, fit: commonFit([plain, own]) }];
    });
    if (pairs.length === 0) continue;
    print(
      `${arm} minus imitation where both fit equally well (${mean(pairs.map(({ fit }) => fit)).toFixed(3)} on average):`,
    );
    for (const what of MEASURES) {
      const at = (points: readonly Point[], fit: number): number => keptAt(points, fit, what) ?? Number.NaN;
      print(`- ${what}: ${differenceWords(pairs.map(({ plain, own, fit }) => at(own, fit) - at(plain, fit)))}`);
    }
    print();
  }
}

await runStudy<Result>({ name: "forgetting", arms: Object.keys(ARMS), run, report });
