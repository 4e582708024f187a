/** InfoPO where asking matters: a customer who has to be asked, and a bundled model that reads what is answered. */
import { expect, test } from "vitest";
import { openUpdate } from "../../../../test/support/recipe-bench.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import type { CreditRow } from "../credit/row.ts";
import { getWorld } from "limbeck-worlds/index";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { UpdateContext } from "./context.ts";
import { credit } from "./credit.ts";
import { playPlans } from "./play-told.ts";
import { demonstrate } from "./solve.ts";

const CHATTER = "What a fine day it is today.";

/** These actions as an episode, with the model's own log-probabilities. */
async function told(update: UpdateContext, task: Task, actions: readonly string[]): Promise<Trajectory> {
  const [episode] = (await playPlans(update, [{ task, actions }])) as [Trajectory];
  const rows = episode.streams.map(({ ids, mask }) => ({ ids, mask }));
  const scored = await update.model.score(rows, { statistics: ["logprob"] });
  const streams = episode.streams.map((stream, at) => ({ ...stream, logprobs: scored[at]?.logprob as Float32Array }));
  return { ...episode, id: actions.join(), streams };
}

function gainOf(row: CreditRow | undefined): number {
  const { old = new Float64Array(), withoutObservation = old } = row?.logprobs ?? {};
  return mean(Array.from(old, (one, at) => one - (withoutObservation[at] as number)));
}

test("the turn that asks for what is needed earns more than small talk, though every episode fails", async () => {
  const folder = bundledModel("tools");
  const model = await openModel(folder, { threads: 1 });
  try {
    const world = await getWorld("tools");
    const env = await world.create({ opening: "dialogue" });
    const [demonstrator] = Object.values(world.demonstrators ?? {});
    const dialect = await createChatDialect(await loadTokenizer(folder));
    const { update } = await openUpdate("grpo", { model, credit: "infopo", env, dialect, demonstrator });
    const tasks: Task[] = [];
    for await (const task of env.tasks("train", { count: 3 })) tasks.push(task);
    for (const task of tasks) {
      const { signal } = update;
      const { plan = [] } = (await demonstrate({ env, demonstrator, seed: "one", signal }, task)) ?? {};
      // Asks who the customer is, looks them up by the answer, talks, and reads the account that was found before.
      const [asks = "", finds = "", reads = ""] = plan;
      const talk = [asks, finds, CHATTER, reads];
      const episodes = [await told(update, task, talk), await told(update, task, talk.toReversed())];
      const { result, batch } = await credit(update, episodes);
      // What the next action gained, a token, by what was heard: the name or address it needs, or nothing of use.
      expect(gainOf(batch.rows[1])).toBeGreaterThan(0.5);
      expect(Math.abs(gainOf(batch.rows[3]))).toBeLessThan(0.01);
      // No outcome differs, so that all there is to learn from is what was found out.
      expect(result.terms["outcome"]?.perRow?.every((value) => value === 0)).toBe(true);
      const [asking = 0, , chatting = 0] = result.advantages.map(([first = 0]) => first);
      expect(asking).toBeGreaterThan(0);
      expect(asking).toBeGreaterThan(chatting);
    }
  } finally {
    await model.close();
  }
});
