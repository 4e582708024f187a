/** `limbeck sft`: supervised fine-tuning on chats or trajectories. */
import type { Command } from "../command.ts";
import { formatNames } from "../format-names.ts";
import { modelOptions } from "../model/open-given.ts";
import { flag, text, texts } from "../options.ts";

export const sft: Command = {
  group: "learn",
  summary: "Fine-tune a model on chats or trajectories",
  usage: "--model DIR --in FILE… --out DIR [--steps N | --epochs N] [--lora RANK] [--resume]",
  description:
    "Behaviour cloning: makes what the assistant said, or the agent did, more likely; what it read is not trained on. Files are in any format that limbeck import reads. Exact tokens are used where a file has tokens of this model; other text is written out by the model's chat template.\n" +
    "The folder given by --out is a Hugging Face folder that also holds the state of the training; the same command with --resume continues it exactly, after a kill too. With --lora only a low-rank adapter learns; it is written beside the base model in the layout of PEFT, and merged into a model of its own with --merged.",
  arity: [0, Number.POSITIVE_INFINITY],
  options: {
    ...modelOptions,
    in: texts("FILE", "Chats or trajectories; further files may follow"),
    out: text("DIR", "Folder for the trained model"),
    format: text("F", "Format of the files. Default: found out", formatNames),
    lenient: flag("Leave out faulty records of the files"),
    successful: flag("Only trajectories that succeeded"),
    curate: text(
      "N",
      "Only the N successes of each task that recover from mistakes, are short and differ from the others",
    ),
    tokens: text("KIND", "auto (exact tokens where they fit this model), exact or text", () => [
      "auto",
      "exact",
      "text",
    ]),
    "max-tokens": text("N", "Cut rows at this length. Default: the model's context"),
    steps: text("N", "Updates. Default: follows from --epochs"),
    epochs: text("N", "Times to see every row. Default: 1"),
    batch: text("ROWS", "Rows per update. Default: 16"),
    "learning-rate": text("X", "Learning rate. Default: 0.0003; 0.002 for an adapter"),
    schedule: text("KIND", "Course of the learning rate. Default: cosine", scheduleNames),
    warmup: text("STEPS", "Updates until the full learning rate. Default: 0"),
    "weight-decay": text("X", "How much weights shrink in an update. Default: 0"),
    "clip-norm": text("X", "Largest norm of the gradient. Default: 1; 0 for any"),
    objective: text(
      "NAME",
      "cross-entropy, or otr: draws at every token and rewards the recorded one. Default: cross-entropy",
      () => ["cross-entropy", "otr"],
    ),
    lora: text("RANK", "Train an adapter of this rank instead of the weights"),
    "lora-alpha": text("X", "Its scale. Default: twice the rank"),
    "lora-targets": text("A,B", "Matrices it changes. Default: all seven"),
    merged: text("DIR", "Also write the model with the adapter merged in"),
    "held-out": text("SHARE", "Trajectories kept for measuring. Default: 0.05"),
    "evaluate-every": text("N", "Updates between measurements. Default: 50"),
    "save-every": text("N", "Updates between checkpoints. Default: 100"),
    seed: text("N", "Order of the rows. Default: 0"),
    resume: flag("Continue what --out holds; start where it holds nothing yet"),
  },
  examples: [
    "limbeck sft --model base --in chats.jsonl --out tuned --epochs 2",
    "limbeck sft --model base --in runs.jsonl --out tuned --successful --lora 8 --merged whole",
    "limbeck sft --model base --in chats.jsonl --out tuned --epochs 2 --resume --json",
  ],
  jsonFields: {
    event: '"skip" for each record left out, "start", "step" for each update, "end"',
    file: "skip: the file",
    line: "skip: the line",
    code: "skip: what kind of fault",
    message: "skip: the fault in words",
    trajectories: "start: trajectories used",
    rows: "start: rows to train on",
    heldOutRows: "start: rows held out",
    tokens: "start: tokens of the rows; step: tokens of the batch",
    trainedTokens: "start: tokens that are trained on",
    exactTrajectories: "start: trajectories whose own tokens are used",
    cutRows: "start: rows cut at --max-tokens",
    emptyRows: "start: rows left out because they hold nothing to train on",
    skipped: "start: records left out of the files",
    parameters: "start: numbers that learn",
    from: "start: updates done before",
    step: "step, end: updates done",
    steps: "start: updates in all",
    loss: "step: mean loss of the batch per trained token, in nats; with --objective otr its own, which may fall below 0",
    learningRate: "step: the learning rate",
    gradientNorm: "step: norm of the gradient before clipping",
    heldOutLoss: "start, step, end: loss on the rows held out, where measured",
    out: "end: the folder",
    durationMs: "end: time taken",
  },
  natives: ["onnxruntime"],
  // The engine is loaded when it is used, so that help stays quick.
  run: async (invocation) => (await import("../sft/run-sft.ts")).runSft(invocation),
};

async function scheduleNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../policy/schedule.ts")).schedules);
}
