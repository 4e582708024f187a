/** A short training as the store holds it, with known numbers and some hostile text, for tests of what is shown of it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trainBytePair } from "../../packages/policy/src/policy/local/byte-pair.ts";
import { createTokenizer, type Tokenizer } from "../../packages/policy/src/policy/local/tokenizer.ts";
import type { Store } from "../../packages/store/src/store/store.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { JsonObject } from "../../packages/base/src/base/json.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

/** Markup, a terminal escape and a turn of the direction of writing. */
export const HOSTILE = `<img src="https://example.invalid/x.png" onerror="document.title='owned'"><script>document.title="owned"</script>\u001b[31m\u202E`;

export interface TrainedRunOptions {
  readonly updates?: number;
  /** Without it the run looks as a killed one does. */
  readonly finished?: boolean;
  /** Writes the tokenizer beside the run, as a checkpoint does. */
  readonly tokenizer?: boolean;
  /** How fast the made-up success rises. */
  readonly rise?: number;
  readonly seed?: number;
  /** Adds to the success of training without being a setting. */
  readonly climb?: number;
  /** Held-out tasks, the last ones, whose episode after the training was lost. */
  readonly lost?: number;
}

const STEPS = ["go to shelf 1", "take mug 1 from shelf 1", "clean mug 1 with sinkbasin 1", "put mug 1 in desk 1"];
const TASKS = 8;
const LOST = {
  ending: "failed",
  success: null,
  reward: { kind: "unscored", why: HOSTILE },
  failure: { code: HOSTILE, message: HOSTILE },
} as const;
const TOKENIZER = trainBytePair([...STEPS, ...STEPS, "step 1 step 2"], { vocabularySize: 320 });

export async function writeTrainedRun(store: Store, id: string, options: TrainedRunOptions = {}): Promise<void> {
  const { updates = 6, finished = true, tokenizer = true, rise = 0.1, lost = 0, seed = 1, climb = 0 } = options;
  const config = {
    recipe: "opid",
    env: "household",
    seed,
    updates,
    settings: { learningRate: 0.002, rise, note: HOSTILE },
  };
  const words = await createTokenizer(TOKENIZER);
  const writer = await store.createRun({ id, kind: "train", config });
  const evaluate = async (phase: string, update: number, solved: number): Promise<void> => {
    const tasks = phase === "validation" ? 0 : TASKS;
    for (let task = 0; task < tasks; task += 1) {
      const episode = played(words, `${phase}-${update}/${task}`, `task-${task}`, task < solved);
      const isLost = phase === "after" && task >= TASKS - lost;
      await writer.append({ ...episode, ...(isLost ? LOST : {}), info: { phase, update } });
    }
    // Not Wilson's interval: round numbers are easy to find again on the page.
    const [success, low, high] = [solved / TASKS, Math.max(0, solved - 1) / TASKS, (solved + 1) / TASKS];
    const unseen = phase === "after" && lost > 0 ? { failed: lost, causes: { [HOSTILE]: lost } } : {};
    await writer.addEvent("evaluation", { phase, update, success, low, high, tasks: TASKS, solved, ...unseen });
  };
  await evaluate("before", 0, 2);
  for (let update = 1; update <= updates; update += 1) {
    const group = [0, 1, 2].map((at) => ({
      ...played(words, `${update}/train/${at}`, "train", at !== 1),
      info: { update },
    }));
    for (const episode of group) await writer.append(episode);
    for (const episode of group) await addSkills(writer, episode, update);
    await writer.addMetrics(update, {
      success: 0.25 + climb + rise * update,
      reward: 0.5 + rise * update,
      entropy: 1 / update,
      seconds: 3,
      "teacher/shiftSuccess": 0.125 * update,
      "teacher/shiftFailure": -0.25 * update,
      "seconds/collect": 1.5,
      "seconds/analyse": 0.25,
      "seconds/rescore": 0.25,
      "seconds/learn": 1,
      "spent/sampledTokens": 1_000 * update,
    });
    await writer.addEvent("credit", { update, group: "train", rows: group.flatMap(creditRows) });
    await writer.addEvent("update", { update, success: 0.5, seconds: 3 });
    if (update % 2 === 0 && update < updates) await evaluate("validation", update, Math.min(TASKS - 1, 2 + update));
  }
  if (finished) {
    await evaluate("after", updates, 6);
    const spent = { environmentSteps: 1_200, sampledTokens: 6_400, modelTokens: 9_000, seconds: 312 };
    await writer.addEvent("end", { reason: "finished", update: updates, spent });
  }
  await writer.close();
  if (!tokenizer) return;
  await mkdir(join(store.root, id, "model"));
  await writeFile(join(store.root, id, "model", "tokenizer.json"), JSON.stringify(TOKENIZER.tokenizer));
}

async function addSkills(
  writer: Awaited<ReturnType<Store["createRun"]>>,
  { id, success }: Trajectory,
  update: number,
): Promise<void> {
  const evidence = [{ trajectory: id, steps: [0, 1] }];
  const text =
    success === true ? "Take the mug, clean it in the sink, then put it on the desk." : `Do not wander: ${HOSTILE}`;
  const shift = success === true ? 0.5 : -0.75 - update / 100;
  await writer.addSkill({
    id: `episode-${success}`,
    level: "episode",
    text,
    trajectory: id,
    data: { update, shift, tokens: 20, evidence },
  });
  const step = { update, shift: 0.375, tokens: 6, evidence: [{ trajectory: id, steps: [1] }] };
  await writer.addSkill({
    id: "step",
    level: "step",
    text: "The mug is in sight: take it.",
    trajectory: id,
    step: 1,
    data: step,
  });
}

function played(words: Tokenizer, id: string, task: string, success: boolean): Trajectory {
  const actions = success ? STEPS : ["go to shelf 1", HOSTILE, "go to shelf 1"];
  const ids: number[] = [];
  const steps = actions.map((action, index): Step => {
    ids.push(...words.encode(`step ${index} `));
    const start = ids.length;
    ids.push(...words.encode(action));
    return {
      index,
      observation: index === 0 ? "You are in a kitchen. You see a mug on shelf 1." : "You arrive.",
      stateKey: `${index}`,
      action,
      valid: action !== HOSTILE,
      reward: scored(0),
      span: { stream: 0, start, end: ids.length },
    };
  });
  const mask = new Uint8Array(ids.length);
  for (const { span } of steps) if (span !== undefined) mask.fill(1, span.start, span.end);
  return {
    id,
    task: {
      id: task,
      env: "household",
      seed: 1,
      goal: "put a clean mug on the desk",
      split: "test",
      data: { family: Number(task.at(-1)) % 2 === 0 ? "put_away" : "find" },
    },
    group: task,
    steps,
    streams: [{ ids: Int32Array.from(ids), mask, logprobs: Float32Array.from(mask, (made) => -made) }],
    ending: success ? "terminated" : "truncated",
    reward: scored(Number(success)),
    success,
    rewards: [],
    policy: { name: "local" },
    closing: { observation: success ? "Done." : "Nothing happens." },
  };
}

function creditRows({ id, steps, success }: Trajectory): JsonObject[] {
  return steps.map(({ index, span }) => {
    const tokens = span === undefined ? 0 : span.end - span.start;
    const advantages = Array.from(
      { length: tokens },
      (_, at) => (success === true ? 1 : -1) * (at % 2 === 0 ? 0.5 : 0.25),
    );
    const shift = Array.from({ length: tokens }, (_, at) => (at % 3) * 0.1 - 0.1);
    const sign = success === true ? 1 : -1;
    // 0.375 + 0.5 * 0.25 = 0.5 and 0.375 - 0.5 * 0.25 = 0.25, with the sign of the outcome.
    const terms = [
      { name: "outcome", weight: 1, value: sign * 0.375 },
      { name: "teacher", weight: 0.5, values: advantages.map((_, at) => sign * (at % 2 === 0 ? 0.25 : -0.25)) },
    ];
    return { trajectory: id, step: index, advantages, shift, teacher: "episode", terms };
  });
}
