/** `limbeck draft-heads`: small heads that guess what a model says next. */
import type { Command } from "../command.ts";
import { shared, text, texts } from "../options.ts";
import { envPart } from "../../env/env.part.ts";
import { speechOptions } from "../rollout/agent-options.ts";

export const draftHeads: Command = {
  group: "learn",
  summary: "Train heads that guess a model's next tokens",
  usage: "--model NAME|DIR --env ID | --from RUN… [--out DIR] [--steps N]",
  description:
    "The heads go on from the model's last hidden state and foretell its next tokens; with --draft heads (and auto) the model checks their guesses, several in one pass. What is said stays the same. They learn from what the model itself said: episodes that it plays now in --env, or those of stored runs (--from). The model stays as it is.\n" +
    "They are written beside the model as draft-heads.safetensors, and used from there. With --out the model is written to a new folder with them; a bundled model needs that.",
  options: {
    model: text("NAME|DIR", "A model folder, a GGUF file, or bundled: the one of the world"),
    env: text("ID", "The world that it plays in", envPart.names),
    "env-set": shared.envSet,
    from: texts("RUN", "Learn from the episodes of this run instead"),
    count: text("TASKS", "With --env: how many tasks. Default: 32"),
    group: text("N", "With --env: episodes of each. Default: 4"),
    "max-steps": speechOptions["max-steps"],
    "max-tokens": speechOptions["max-tokens"],
    temperature: text("T", "Of the draws, and what the heads learn to guess. Default: 1"),
    out: text("DIR", "New folder for the model with its heads. Default: beside the model"),
    loss: text("KIND", "tv (total variation over all guesses in a row) or ce (cross-entropy). Default: tv", () => [
      "tv",
      "ce",
    ]),
    depth: text("N", "Tokens that are guessed in a row while training. Default: 4"),
    steps: text("N", "Updates. Default: 600"),
    batch: text("N", "Places of an update. Default: 64"),
    "learning-rate": text("X", "Default: 0.002"),
    seed: text("N", "Episodes and order. Default: 0"),
    threads: shared.threads,
  },
  examples: [
    "limbeck draft-heads --model bundled --env tools --out models/tools-heads",
    "limbeck draft-heads --model my-model --from monday --from tuesday",
    "limbeck rollout --env tools --policy models/tools-heads --draft heads --json",
  ],
  jsonFields: {
    event: '"step" for each update, "end"',
    step: "step: updates done",
    loss: "step: loss of the batch; cross-entropy in the first third",
    rows: "end: conversations learnt from and measured on",
    places: "end: places in them where something was guessed",
    heldOut: "end: such places kept for measuring",
    accepted:
      "end: on those, the share of each guess in a row that rejection sampling keeps, where those before it were right",
    tokensPerPass: "end: tokens of a pass that these shares make, the model's own included",
    path: "end: the file",
    durationMs: "end: time taken",
  },
  natives: ({ texts: given }) => (given("from").length === 0 ? ["onnxruntime"] : ["duckdb", "onnxruntime"]),
  run: async (invocation) => (await import("../model/run-draft-heads.ts")).runDraftHeads(invocation),
};
