/** Draft heads from the command line: what the model said, the training, and where they are kept. */
import { resolve } from "node:path";
import { buildCloningRows } from "../../objective/index.ts";
import { bundledModel, bundledModelFor } from "../../policy/local/bundled-model.ts";
import { saveDraftHeads, type HeadLoss } from "../../policy/local/draft/draft-heads.ts";
import { trainDraftHeads } from "../../policy/local/draft/train-heads.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import { requireTokenizer } from "../../policy/local/open-model.ts";
import { rollout } from "../../run/index.ts";
import { createForest, type Trajectory } from "../../trajectory/index.ts";
import { withoutUndefined } from "../../base/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatDuration } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { givenWorld } from "../rollout/given-world.ts";
import { recordedEpisodes } from "../with-store.ts";
import { givenCount, maybeCount, maybeNumber, openGiven } from "./open-given.ts";

const [TASKS, GROUP] = [32, 4];

export async function runDraftHeads(invocation: Invocation): Promise<number> {
  const started = invocation.io.now();
  const folder = modelFolder(invocation);
  const model = await openGiven(invocation, "draft-heads", { folder, weights: "float32" });
  try {
    const runs = invocation.texts("from");
    const played =
      runs.length === 0 ? await playedEpisodes(invocation, model) : await recordedEpisodes(invocation.storeRoot, runs);
    const rows = rowsOf(model, played);
    const steps = givenCount(invocation, "steps", 600);
    const bar = invocation.progress({ label: "Training", total: steps });
    const trained = await trainDraftHeads(model, rows, {
      ...withoutUndefined({
        loss: invocation.text("loss") as HeadLoss | undefined,
        depth: maybeCount(invocation, "depth"),
        batch: maybeCount(invocation, "batch", 2),
        learningRate: maybeNumber(invocation, "learning-rate", { low: 0 }),
        temperature: temperatureOf(invocation),
        threads: maybeCount(invocation, "threads"),
        seed: maybeCount(invocation, "seed", 0),
      }),
      steps,
      signal: invocation.io.signal,
      onStep: ({ step, loss }) => {
        bar.update(step);
        if (invocation.json) invocation.printJson({ event: "step", step, loss });
      },
    }).finally(() => bar.end());
    const out = invocation.text("out");
    const target = out === undefined ? folder : resolve(invocation.io.cwd, out);
    if (out !== undefined) await model.save(target, { optimiser: false });
    const path = await saveDraftHeads(target, trained.heads);
    const { places, heldOut, accepted, tokensPerPass } = trained;
    const durationMs = invocation.io.now() - started;
    if (invocation.json) {
      const end = { rows: rows.length, places, heldOut, accepted, tokensPerPass, path, durationMs };
      invocation.printJson({ event: "end", ...end });
      return EXIT.done;
    }
    const { style } = invocation;
    const shares = accepted.map((share) => share.toFixed(2)).join(", ");
    invocation.print(
      `${style.green("✓")} ${style.cyan(cleanLine(path))} ${style.dim(`(${formatDuration(durationMs)})`)}`,
    );
    invocation.print(`  Of each guess in a row it would keep ${shares}: ${tokensPerPass.toFixed(2)} tokens a pass.`);
    invocation.note(style.dim(`Use them: limbeck rollout --policy "${cleanLine(target)}" --draft heads --env …`));
    return EXIT.done;
  } finally {
    await model.close();
  }
}

function modelFolder(invocation: Invocation): string {
  const given = invocation.text("model");
  if (given === undefined || given === "") {
    throw usageError('"limbeck draft-heads" needs --model: a model folder, a GGUF file, or bundled.');
  }
  const [env, runs] = [invocation.text("env"), invocation.texts("from")];
  if ((env === undefined) === (runs.length === 0)) {
    throw usageError(
      '"limbeck draft-heads" needs --env ID, a world to play in, or --from RUN, what was said before; one of them.',
    );
  }
  if (given !== "bundled") return resolve(invocation.io.cwd, given);
  if (env === undefined)
    throw usageError("Which bundled model? --model bundled needs --env ID; with --from give its folder.");
  if (invocation.text("out") === undefined) {
    throw usageError("A bundled model stays as it came; give --out DIR, a new folder for it and its heads.");
  }
  return bundledModel(bundledModelFor(env));
}

function temperatureOf(invocation: Invocation): number | undefined {
  return maybeNumber(invocation, "temperature", { low: 0.05, high: 10 });
}

async function playedEpisodes(invocation: Invocation, model: LocalModel): Promise<readonly Trajectory[]> {
  const { id, env } = await givenWorld(invocation, "draft-heads");
  const [tasks, group] = [givenCount(invocation, "count", TASKS), givenCount(invocation, "group", GROUP)];
  const bar = invocation.progress({ label: `Episodes in ${id}`, total: tasks * group });
  try {
    const { trajectories } = await rollout({
      env,
      policy: model,
      tasks,
      ...(Object.hasOwn(env.splits, "train") ? { split: "train" } : {}),
      group,
      seed: givenCount(invocation, "seed", 0, 0),
      maxSteps: maybeCount(invocation, "max-steps"),
      answerTokens: maybeCount(invocation, "max-tokens"),
      temperature: temperatureOf(invocation),
      signal: invocation.io.signal,
      onEvent: ({ episodes }) => bar.update(episodes),
    });
    return trajectories;
  } finally {
    bar.end();
  }
}

/** What the policy said, in exact tokens where the episodes have them. */
function rowsOf(model: LocalModel, trajectories: readonly Trajectory[]): { ids: Int32Array; mask: Uint8Array }[] {
  const { vocabularySize, contextLength } = model.config;
  const options = { tokenizer: requireTokenizer(model), chat: model.chat, vocabularySize, maxTokens: contextLength };
  const forest = createForest(trajectories);
  return trajectories.flatMap((trajectory) =>
    buildCloningRows(trajectory, { ...options, forest }).rows.map(({ ids, mask }) => ({
      ids,
      mask: Uint8Array.from(mask),
    })),
  );
}
