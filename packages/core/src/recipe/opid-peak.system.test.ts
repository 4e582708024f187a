/** Where OPID's teacher speaks loudest: at the one step of an episode that lost it. */
import { expect, test } from "vitest";
import { asSaidBy } from "../../../../test/support/recipe-walks.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { createHousehold } from "limbeck-worlds/household/household";
import { expert } from "limbeck-worlds/household/demonstrators";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../rollout/registry.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";

const TASKS = 6;

test("the shift peaks on a planted decisive step", { timeout: 120_000 }, async () => {
  const folder = bundledModel("household");
  const tokenizer = await loadTokenizer(folder);
  const [model, dialect] = [await openModel(folder, { threads: 1 }), await createChatDialect(tokenizer)];
  const env = createHousehold({ dial: "tiny" });
  const walk = async (task: Task, id: string, plan: readonly string[]): Promise<Trajectory> => {
    const policy = createScriptedPolicy({
      script: ({ index }) => plan[index] ?? "look",
      tokenizer: {
        encode: (text) => tokenizer.encode(text),
        decode: (ids) => tokenizer.decode(ids),
        vocabularySize: tokenizer.size,
        endToken: tokenizer.idOf("<|end|>") as number,
      },
    });
    const agent = createTokenAgent({ policy, dialect, answerTokens: 24 });
    const request = { env, agent, tasks: [task], seed: id, strategy: createStrategy("group", { size: 1 }) };
    const [one] = (await rollOut({ ...request, episode: { steps: plan.length } })).trajectories as [Trajectory];
    return { ...one, id, group: task.id };
  };
  const planted: { readonly id: string; readonly step: number }[] = [];
  const episodes: Trajectory[] = [];
  for (const task of env.tasks("train", { count: TASKS }) as Iterable<Task>) {
    const plan = await planOf(env, task);
    // The thing is not picked up where it lies, and nothing that follows can mend that.
    const step = plan.findIndex((action) => action.startsWith("take "));
    if (step === -1) continue;
    episodes.push(await walk(task, `${task.id} whole`, plan));
    episodes.push(await walk(task, `${task.id} lost`, plan.with(step, "look")));
    planted.push({ id: `${task.id} lost`, step });
  }
  try {
    const { record } = await tryRecipe("opid", {
      model,
      dialect,
      env,
      collect: async () => await asSaidBy(model, episodes),
      given: { form: "shift" },
    });
    const shifts = planted.map(({ id, step }) => {
      const own = record.episodes.find((one) => one.id === id) as Trajectory;
      const byStep = own.steps.map(({ index, span }) => {
        const opinion = record.taught?.opinions.get(id)?.get(index);
        const teacher = [...(opinion?.step ?? opinion?.episode ?? [])];
        const old = own.streams[span?.stream ?? 0]?.logprobs?.subarray(span?.start, span?.end) ?? [];
        return mean(teacher.map((one, at) => one - (old[at] ?? Number.NaN)));
      });
      return { step, byStep };
    });
    const size = (values: readonly number[]): number => mean(values.map(Math.abs));
    const [decisive, others] = [
      shifts.map(({ step, byStep }) => byStep[step] as number),
      shifts.flatMap(({ step, byStep }) => byStep.toSpliced(step, 1)),
    ];
    expect(decisive).toHaveLength(TASKS);
    // Measured on 2026-11-16: 0.73 nats a token on the planted steps, 0.20 on the others.
    expect(size(decisive)).toBeGreaterThan(2 * size(others));
    // What the teacher says of a planted step is that it was wrong, more than of any other step of the episode.
    const lowest = shifts.filter(({ step, byStep }) => byStep[step] === Math.min(...byStep));
    expect(lowest.length).toBeGreaterThanOrEqual(4);
  } finally {
    await model.close();
  }
});

async function planOf(env: ReturnType<typeof createHousehold>, task: Task): Promise<string[]> {
  const episode = await env.open(task);
  const demonstration = expert.start(task, createRng(task.id));
  const plan: string[] = [];
  while (episode.ending === undefined) {
    const { observation } = episode;
    plan.push(demonstration.next({ action: plan.at(-1), observation, admissible: episode.admissible() }));
    await episode.step(plan.at(-1) as string);
  }
  await episode.close();
  return plan;
}
