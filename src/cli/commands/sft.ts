/** `limbeck sft`: supervised fine-tuning on chats or trajectories. */
import type { Command } from "../command.ts";
import { formatNames } from "../format-names.ts";
import { modelOptions } from "../model/open-given.ts";

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
    in: { type: "string", value: "FILE", multiple: true, summary: "Chats or trajectories; further files may follow" },
    out: { type: "string", value: "DIR", summary: "Folder for the trained model" },
    format: {
      type: "string",
      value: "F",
      summary: "Format of the files; found out unless given",
      choices: formatNames,
    },
    lenient: { type: "boolean", summary: "Leave out faulty records of the files" },
    successful: { type: "boolean", summary: "Only trajectories that succeeded" },
    curate: {
      type: "string",
      value: "N",
      summary: "Only the N successes of each task that recover from mistakes, are short and differ from the others",
    },
    tokens: {
      type: "string",
      value: "KIND",
      summary: "auto (exact tokens where they fit this model), exact or text",
      choices: () => ["auto", "exact", "text"],
    },
    "max-tokens": { type: "string", value: "N", summary: "Cut rows at this length; the model's context unless told" },
    steps: { type: "string", value: "N", summary: "Updates; follows from --epochs unless told" },
    epochs: { type: "string", value: "N", summary: "Times to see every row; 1 unless told" },
    batch: { type: "string", value: "ROWS", summary: "Rows per update; 16 unless told" },
    "learning-rate": {
      type: "string",
      value: "X",
      summary: "0.0003 unless told, 0.002 for an adapter",
    },
    schedule: { type: "string", value: "KIND", summary: "cosine unless told", choices: scheduleNames },
    warmup: { type: "string", value: "STEPS", summary: "Updates until the full learning rate; 0 unless told" },
    "weight-decay": { type: "string", value: "X", summary: "0 unless told" },
    "clip-norm": { type: "string", value: "X", summary: "Largest norm of the gradient; 1 unless told, 0 for any" },
    objective: {
      type: "string",
      value: "NAME",
      summary: "cross-entropy, or otr: draws at every token and rewards the recorded one; cross-entropy unless told",
      choices: () => ["cross-entropy", "otr"],
    },
    lora: { type: "string", value: "RANK", summary: "Train an adapter of this rank instead of the weights" },
    "lora-alpha": { type: "string", value: "X", summary: "Its scale; twice the rank unless told" },
    "lora-targets": { type: "string", value: "A,B", summary: "Matrices it changes; all seven unless told" },
    merged: { type: "string", value: "DIR", summary: "Also write the model with the adapter merged in" },
    "held-out": { type: "string", value: "SHARE", summary: "Trajectories kept for measuring; 0.05 unless told" },
    "evaluate-every": { type: "string", value: "N", summary: "Updates between measurements; 50 unless told" },
    "save-every": { type: "string", value: "N", summary: "Updates between checkpoints; 100 unless told" },
    seed: { type: "string", value: "N", summary: "Order of the rows; 0 unless told" },
    resume: { type: "boolean", summary: "Continue what --out holds; start where it holds nothing yet" },
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
