/** `limbeck draft-heads`: small heads that predict a model's next tokens, trained on stored or fresh episodes. */
import { resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { defineOperation, type Context, type Input } from "limbeck-base/base/operation";
import { envPart } from "limbeck-worlds/env.part";
import { worldInputs } from "limbeck-worlds/world.inputs";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { speechInputs } from "./speech.inputs.ts";

const inputs = {
  model: input.path("NAME|DIR", "A model folder, a GGUF file, or bundled: the one of the world"),
  env: input.part(envPart, "ID", "The world that it plays in"),
  envOptions: worldInputs.envOptions,
  from: input.texts("RUN", "Learn from the episodes of this run instead"),
  tasks: input.count("TASKS", "With --env: how many tasks", { flag: "count", default: 32 }),
  group: input.count("N", "With --env: episodes of each", { default: 4 }),
  maxSteps: speechInputs.maxSteps,
  answerTokens: speechInputs.answerTokens,
  temperature: input.number("T", "Of the draws, and what the heads learn to guess. Default: 1", {
    least: 0.05,
    most: 10,
  }),
  out: input.path("DIR", "New folder for the model with its heads. Default: beside the model"),
  loss: input.choice("KIND", "tv (total variation over all guesses in a row) or ce (cross-entropy)", ["tv", "ce"], {
    default: "tv",
  }),
  depth: input.count("N", "Tokens that are guessed in a row while training", { default: 4 }),
  steps: input.count("N", "Updates", { default: 600 }),
  batch: input.count("N", "Places of an update", { least: 2, default: 64 }),
  learningRate: input.number("X", "Default: 0.002", { least: 0 }),
  seed: input.count("N", "Episodes and order", { least: 0, default: 0 }),
  threads: speechInputs.threads,
};

/**
 * Trains heads that guess a model's next tokens, and writes them beside it.
 *
 * @example
 * await draftHeads({ model: "bundled", env: "tools" }).catch((error: Error) => console.log(error.message.slice(0, 33))); // A bundled model stays as it came;
 */
export const draftHeads = defineOperation({
  name: "draft-heads",
  group: "learn",
  summary: "Train heads that guess a model's next tokens",
  usage: "--model NAME|DIR --env ID | --from RUN… [--out DIR] [--steps N]",
  description:
    "The heads go on from the model's last hidden state and foretell its next tokens; with --draft heads (and auto) the model checks their guesses, several in one pass. What is said stays the same. They learn from what the model itself said: episodes that it plays now in --env, or those of stored runs (--from). The model stays as it is.\n" +
    "They are written beside the model as draft-heads.safetensors, and used from there. With --out the model is written to a new folder with them; a bundled model needs that.",
  input: inputs,
  examples: [
    "limbeck draft-heads --model bundled --env tools --out models/tools-heads",
    "limbeck draft-heads --model my-model --from monday --from tuesday",
    "limbeck rollout --env tools --policy models/tools-heads --draft heads --json",
  ],
  events: {
    step: {
      event: "for each update",
      step: "updates done",
      loss: "loss of the batch; cross-entropy in the first third",
    },
    end: {
      rows: "conversations learnt from and measured on",
      places: "places in them where something was guessed",
      heldOut: "such places kept for measuring",
      accepted:
        "on those, the share of each guess in a row that rejection sampling keeps, where those before it were right",
      tokensPerPass: "tokens of a pass that these shares make, the model's own included",
      path: "the file",
      durationMs: "time taken",
    },
  },
  natives: (given) => (given("from") === undefined ? ["onnxruntime"] : ["duckdb", "onnxruntime"]),
  run: async (given, context) => {
    const started = context.now();
    const { from, threads, steps, loss, depth, batch, learningRate, temperature, seed } = given;
    const folder = await modelFolder(given, context);
    const { givenModel } = await import("limbeck-policy/policy/local/given-model");
    const { saveDraftHeads } = await import("limbeck-policy/policy/local/draft/draft-heads");
    const { trainDraftHeads } = await import("limbeck-policy/policy/local/draft/train-heads");
    const { playedEpisodes, recordedEpisodes } = await import("./episodes.ts");
    const model = await givenModel("draft-heads", { model: folder, threads }, context, { weights: "float32" });
    const learn = async (rows: readonly { readonly ids: Int32Array; readonly mask: Uint8Array }[]) => {
      const bar = context.progress({ label: "Training", total: steps });
      return await trainDraftHeads(model, rows, {
        ...withoutUndefined({ learningRate, temperature, threads }),
        loss,
        depth,
        batch,
        seed,
        steps,
        signal: context.signal,
        onStep: (step) => {
          bar.update(step.step);
          context.emit({ event: "step", ...step });
        },
      }).finally(() => bar.end());
    };
    const play = async (): Promise<readonly Trajectory[]> => {
      const { givenWorld } = await import("./given-parts.ts");
      const world = await givenWorld("draft-heads", given, context);
      const { tasks, group, maxSteps, answerTokens } = given;
      const options = { policy: model, tasks, group, seed, maxSteps, answerTokens, temperature };
      return await playedEpisodes(world, options, context, `Episodes in ${world.id}`);
    };
    try {
      const rows = await rowsOf(model, from.length === 0 ? await play() : await recordedEpisodes(context.store, from));
      const { heads, ...figures } = await learn(rows);
      const target = given.out === undefined ? folder : resolve(context.cwd, given.out);
      if (given.out !== undefined) await model.save(target, { optimiser: false });
      const path = await saveDraftHeads(target, heads);
      const { places, heldOut, accepted, tokensPerPass } = figures;
      const durationMs = context.now() - started;
      context.emit({ event: "end", rows: rows.length, places, heldOut, accepted, tokensPerPass, path, durationMs });
      return { ...figures, path, target, durationMs };
    } finally {
      await model.close();
    }
  },
});

async function modelFolder({ model, env, from, out }: Input<typeof inputs>, { cwd }: Context): Promise<string> {
  if (model === undefined || model === "") {
    throw usageError('"limbeck draft-heads" needs --model: a model folder, a GGUF file, or bundled.');
  }
  if ((env === undefined) === (from.length === 0)) {
    throw usageError(
      '"limbeck draft-heads" needs --env ID, a world to play in, or --from RUN, what was said before; one of them.',
    );
  }
  if (model !== "bundled") return resolve(cwd, model);
  if (env === undefined)
    throw usageError("Which bundled model? --model bundled needs --env ID; with --from give its folder.");
  if (out === undefined) {
    throw usageError("A bundled model stays as it came; give --out DIR, a new folder for it and its heads.");
  }
  const { bundledModel, bundledModelFor } = await import("limbeck-policy/policy/local/bundled-model");
  return bundledModel(bundledModelFor(env));
}

/** The policy's responses, in exact tokens where the episodes have them. */
async function rowsOf(model: LocalModel, trajectories: readonly Trajectory[]) {
  const { buildCloningRows } = await import("limbeck-core/objective/cloning-rows");
  const { requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
  const { createForest } = await import("limbeck-base/trajectory/forest");
  const { vocabularySize, contextLength: maxTokens } = model.config;
  const forest = createForest(trajectories);
  const options = { tokenizer: requireTokenizer(model), chat: model.chat, vocabularySize, maxTokens, forest };
  const rows = trajectories.flatMap((trajectory) => buildCloningRows(trajectory, options).rows);
  return rows.map(({ ids, mask }) => ({ ids, mask: Uint8Array.from(mask) }));
}
