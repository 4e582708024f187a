/** A policy with its words and its files: what `openModel` and `createModel` put together. */
import { isDeepStrictEqual } from "node:util";
import { EngineError } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import type { Learner } from "../policy.ts";
import { createQueue } from "../queue.ts";
import type { AdamState } from "./adam.ts";
import { createChat, type Chat } from "./chat-template.ts";
import { saveCheckpoint, type SaveOptions } from "./checkpoint.ts";
import type { JsonObject } from "./config-file.ts";
import { createLocalPolicy, type LocalOptions, type LocalPolicy } from "./local-policy.ts";
import type { ModelConfig } from "./model-config.ts";
import { quote } from "./quote.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { openCheckpoint, type CheckpointFolder } from "./training-state.ts";
import { checkFinite, copyWeights, refuseQuantised, type Weights } from "./weights.ts";

export interface LocalModel extends LocalPolicy, Learner {
  /** Undefined where the folder has none: such a model works on tokens. */
  readonly tokenizer: Tokenizer | undefined;
  /** Undefined where the folder has no chat template. */
  readonly chat: Chat | undefined;
  /** Tokens that end a response, by `generation_config.json` or else the tokenizer. */
  readonly stopIds: readonly number[];
  /** What the trainer saved beside the model; see `save`. */
  readonly progress: JsonObject;
  /**
   * Weights and training state, in a Hugging Face folder; gradients that wait for a step are not part of it. A kill at
   * any moment leaves the old or the new checkpoint.
   */
  save(folder: string, options?: ModelSaveOptions): Promise<void>;
  /** Everything as it was saved; pending gradients are forgotten. When it fails, everything is as before. */
  load(folder: string): Promise<void>;
}

export interface ModelSaveOptions extends SaveOptions {
  /** Plain JSON that a resumed trainer finds in `progress`: its place in the data, its generator. */
  readonly progress?: JsonObject;
}

export interface ModelParts {
  readonly config: ModelConfig;
  readonly weights: Weights;
  readonly tokenizer: Tokenizer | undefined;
  readonly configJson: JsonObject;
  readonly generationJson: JsonObject;
}

/** `resumed` is an open checkpoint of these very weights whose training goes on. */
export async function assembleModel(
  parts: ModelParts,
  options: LocalOptions,
  resumed?: CheckpointFolder,
): Promise<LocalModel> {
  const { config, weights, tokenizer } = parts;
  const policy = createLocalPolicy(config, weights, options);
  const { core } = policy;
  const chat = tokenizer === undefined ? undefined : await createChat(tokenizer);
  const stopIds = stopIdsOf(parts);
  // A step in the middle of a save would tear the checkpoint.
  const inTurn = createQueue();
  let progress: JsonObject = {};

  const restore = async (folder: CheckpointFolder): Promise<void> => {
    await restoreFrom(folder, policy);
    progress = folder.progress;
  };
  if (resumed !== undefined) {
    refuseQuantised(weights, `"${resumed.path}" is not resumed`, 'Resume it with weights "float32".');
    await restore(resumed);
  }

  return {
    ...policy,
    tokenizer,
    chat,
    stopIds,
    // A spread reads a getter once; these change.
    get ref() {
      return policy.ref;
    },
    get decoded() {
      return policy.decoded;
    },
    get progress() {
      return progress;
    },
    step: (stepOptions) => inTurn(() => policy.step(stepOptions)),
    save: (folder, { progress: given, ...saveOptions } = {}) =>
      inTurn(async () => {
        refuseQuantised(
          weights,
          `"${folder}" is not written`,
          "Save its adapter (saveAdapter), and keep the file that it came from.",
        );
        for (const learned of [weights, policy.adapter?.weights]) {
          if (learned !== undefined) checkFinite(learned, `"${folder}" is not written`, "update-not-finite");
        }
        progress = given ?? progress;
        const generationJson = { eos_token_id: [...stopIds], ...parts.generationJson };
        const { version = 0 } = policy.ref;
        const files = { configJson: parts.configJson, generationJson, tokenizer: tokenizer?.files };
        await saveCheckpoint(
          folder,
          { config, weights, adapter: policy.adapter?.weights, optimiser: core.state, version, progress, ...files },
          saveOptions,
        );
      }),
    load: (folder) =>
      inTurn(async () => {
        refuseQuantised(weights, `"${folder}" is not loaded`, "Open it instead.");
        const opened = await openCheckpoint(folder);
        try {
          await restore(opened);
        } finally {
          await opened.close();
        }
      }),
  };
}

/** Weights, adapter and optimiser as they were saved. */
async function restoreFrom(folder: CheckpointFolder, policy: LocalPolicy): Promise<void> {
  refuseOther(folder, policy);
  const { weights, core } = policy;
  // Read aside first: a file that fails half-way must not leave half of another model behind.
  const fresh = copyWeights(weights);
  const adapter = policy.adapter === undefined ? undefined : copyWeights(policy.adapter.weights);
  const optimiser: AdamState = { step: 0, first: core.state.first.slice(), second: core.state.second.slice() };
  await folder.readWeights(fresh);
  await folder.readHeads(fresh);
  await folder.readState(fresh, adapter, optimiser);
  weights.flat.set(fresh.flat);
  if (adapter !== undefined) policy.adapter?.weights.flat.set(adapter.flat);
  core.state.first.set(optimiser.first);
  core.state.second.set(optimiser.second);
  core.state.step = optimiser.step;
  policy.discard();
  policy.replaced(folder.version);
}

function refuseOther(folder: CheckpointFolder, { config, weights, adapter }: LocalPolicy): void {
  const fail = (why: string): EngineError =>
    new EngineError("folder-holds-another-model", `"${folder.path}" holds ${why}; open it instead of loading it.`);
  if (!isDeepStrictEqual(folder.config, config)) throw fail("a model of another shape than the one that is open");
  const heads = [...folder.heads.keys()].filter((name) => !weights.places.has(name));
  if (heads.length > 0)
    throw fail(`the heads ${heads.map((name) => quote(name)).join(", ")}, which the open model lacks`);
  if (folder.adapted !== (adapter !== undefined)) {
    throw fail(folder.adapted ? "an adapter, and the open model has none" : "no adapter, and the open model has one");
  }
}

function stopIdsOf({ generationJson, configJson, tokenizer }: ModelParts): number[] {
  const listed = generationJson["eos_token_id"] ?? configJson["eos_token_id"];
  const ids = (Array.isArray(listed) ? listed : [listed]).filter((id): id is number => Number.isSafeInteger(id));
  if (ids.length > 0) return ids;
  const named = tokenizer?.files.config["eos_token"];
  const text = isObject(named) ? named["content"] : named;
  const id = typeof text === "string" ? tokenizer?.idOf(text) : undefined;
  return id === undefined ? [] : [id];
}
