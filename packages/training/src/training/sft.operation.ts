/** `limbeck sft`: supervised fine-tuning on chats or trajectories. */
import { defineOperation } from "limbeck-base/base/operation";
import { sftEvents, sftInputs } from "./sft.inputs.ts";

/**
 * Supervised fine-tuning of a model on files of chats or trajectories.
 *
 * @example
 * await sft({ model: "base", in: ["chats.jsonl"] }).catch((error: Error) => console.log(error.message.slice(0, 30))); // "limbeck sft" needs --out DIR,
 */
export const sft = defineOperation({
  name: "sft",
  group: "learn",
  summary: "Fine-tune a model on chats or trajectories",
  usage: "--model DIR --in FILE… --out DIR [--steps N | --epochs N] [--lora RANK] [--resume]",
  description:
    "Behaviour cloning: makes what the assistant said, or the agent did, more likely; what it read is not trained on. Files are in any format that limbeck import reads. Exact tokens are used where a file has tokens of this model; other text is written out by the model's chat template.\n" +
    "The folder given by --out is a Hugging Face folder that also holds the state of the training; the same command with --resume continues it exactly, after a kill too. With --lora only a low-rank adapter learns; it is written beside the base model in the layout of PEFT, and merged into a model of its own with --merged.",
  input: sftInputs,
  rules: [
    {
      only: ["loraAlpha", "loraTargets", "merged"],
      with: "lora",
      say: "belongs to an adapter; give --lora RANK too.",
    },
  ],
  examples: [
    "limbeck sft --model base --in chats.jsonl --out tuned --epochs 2",
    "limbeck sft --model base --in runs.jsonl --out tuned --successful --lora 8 --merged whole",
    "limbeck sft --model base --in chats.jsonl --out tuned --epochs 2 --resume --json",
  ],
  events: sftEvents,
  natives: () => ["onnxruntime"],
  run: async (given, context) => await (await import("./sft.ts")).trainOnFiles(given, context),
});
