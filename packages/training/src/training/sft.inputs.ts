/** What a supervised fine-tuning takes and reports. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { modelInputs } from "limbeck-policy/policy/engine.inputs";
import type { LoraTarget } from "limbeck-policy/policy/local/model-config";
import type { ScheduleId } from "limbeck-policy/policy/schedule";

export const sftInputs = {
  ...modelInputs,
  in: input.texts("FILE", "Chats or trajectories; further files may follow"),
  // A shell turns `--in *.jsonl` into one value and further words.
  files: input.texts("FILE", "Further files", { at: "rest" }),
  out: input.path("DIR", "Folder for the trained model"),
  format: input.choice("F", "Format of the files. Default: found out", async () =>
    Object.keys((await import("limbeck-store/store/formats/index")).formats).sort(),
  ),
  lenient: input.flag("Leave out faulty records of the files"),
  successful: input.flag("Only trajectories that succeeded"),
  curate: input.count(
    "N",
    "Only the N successes of each task that recover from mistakes, are short and differ from the others",
  ),
  tokens: input.choice("KIND", "auto (exact tokens where they fit this model), exact or text", [
    "auto",
    "exact",
    "text",
  ]),
  maxTokens: input.count("N", "Cut rows at this length. Default: the model's context", { least: 2 }),
  steps: input.count("N", "Updates. Default: follows from --epochs"),
  epochs: input.count("N", "Times to see every row", { default: 1 }),
  batchRows: input.count("ROWS", "Rows per update", { flag: "batch", default: 16 }),
  learningRate: input.number("X", "Learning rate. Default: 0.0003; 0.002 for an adapter", { least: 0 }),
  schedule: input.choice(
    "KIND",
    "Course of the learning rate",
    async (): Promise<readonly ScheduleId[]> => (await import("limbeck-policy/policy/schedule")).SCHEDULES,
    { default: "cosine" },
  ),
  warmupSteps: input.count("STEPS", "Updates until the full learning rate", { flag: "warmup", least: 0, default: 0 }),
  weightDecay: input.number("X", "How much weights shrink in an update", { least: 0, default: 0 }),
  clipNorm: input.number("X", "Largest norm of the gradient. Default: 1; 0 for any", { least: 0 }),
  objective: input.choice(
    "NAME",
    "cross-entropy, or otr: draws at every token and rewards the recorded one",
    ["cross-entropy", "otr"],
    { default: "cross-entropy" },
  ),
  lora: input.count("RANK", "Train an adapter of this rank instead of the weights"),
  loraAlpha: input.number("X", "Its scale. Default: twice the rank", { least: Number.MIN_VALUE }),
  loraTargets: input.text("A,B", "Matrices it changes. Default: all seven"),
  merged: input.path("DIR", "Also write the model with the adapter merged in"),
  heldOut: input.number("SHARE", "Trajectories kept for measuring", { least: 0, most: 0.9, default: 0.05 }),
  evaluateEvery: input.count("N", "Updates between measurements", { default: 50 }),
  saveEvery: input.count("N", "Updates between checkpoints", { default: 100 }),
  seed: input.count("N", "Order of the rows", { least: 0, default: 0 }),
  resume: input.flag("Continue what --out holds; start where it holds nothing yet"),
};

const HELD_OUT = "loss on the rows held out, where measured";

export const sftEvents = {
  skip: {
    event: "for each record left out",
    file: "the file",
    line: "the line",
    code: "what kind of fault",
    message: "the fault in words",
  },
  start: {
    trajectories: "trajectories used",
    rows: "rows to train on",
    heldOutRows: "rows held out",
    tokens: "tokens of the rows",
    trainedTokens: "tokens that are trained on",
    exactTrajectories: "trajectories whose own tokens are used",
    cutRows: "rows cut at --max-tokens",
    emptyRows: "rows left out because they hold nothing to train on",
    skipped: "records left out of the files",
    parameters: "numbers that learn",
    from: "updates done before",
    steps: "updates in all",
    heldOutLoss: HELD_OUT,
  },
  step: {
    event: "for each update",
    tokens: "tokens of the batch",
    step: "updates done",
    loss: "mean loss of the batch per trained token, in nats; with --objective otr its own, which may fall below 0",
    learningRate: "the learning rate",
    gradientNorm: "norm of the gradient before clipping",
    heldOutLoss: HELD_OUT,
  },
  end: { step: "updates done", heldOutLoss: HELD_OUT, out: "the folder", durationMs: "time taken" },
};

export type SftInput = Input<typeof sftInputs>;
export type SftContext = Context<EventOf<typeof sftEvents>>;

/** Everything that the course of the training depends on, besides the rows and the number of updates. */
export interface SftSettings extends Pick<SftInput, "batchRows" | "schedule" | "warmupSteps" | "weightDecay" | "seed"> {
  readonly learningRate: number;
  readonly clipNorm: number;
  /** Another objective than cross-entropy, which is what runs of earlier versions had. */
  readonly objective?: "otr";
  readonly lora: { readonly rank: number; readonly alpha: number; readonly targets: readonly LoraTarget[] } | null;
}
