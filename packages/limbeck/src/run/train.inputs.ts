/** The options of a training, declared once: for `limbeck train` and its configuration file, for arenas and tunes. */
import { input } from "limbeck-base/base/input";
import { tlsInputs } from "limbeck-base/base/tls.inputs";
import type { Input } from "limbeck-base/base/operation";
import { allowInputs, worldInputs } from "limbeck-worlds/world.inputs";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";
import { askInput } from "limbeck-core/skill/writer.inputs";
import { creditPart, policyLossPart, recipePart, searchPart, strategyPart } from "limbeck-core/recipe/methods.part";
import { rewardInputs } from "./reward.inputs.ts";
import { speechInputs } from "./speech.inputs.ts";

const { env, envOptions, experts } = worldInputs;
const { threads, cores, draft, weights } = engineInputs;

/** By the headings of help. */
export const trainGroups = {
  "Usual options": {
    recipe: input.part(recipePart, "NAME", "Default: opid"),
    env: { ...env, meaning: "The world. Default: household" },
    steps: input.count("N", "Updates. Default: 50"),
    settings: input.settings("A setting of the recipe", { flag: "set" }),
    dir: input.path("DIR", "Folder of the run. Default: a new one in the store"),
  },
  "The method": {
    preset: input.text("NAME", "A named set of settings of the recipe: paper, or hard (grpo)"),
    credit: input.part(creditPart, "NAME", "Another credit method than the recipe's"),
    strategy: input.part(strategyPart, "NAME", "Rollout strategy. Default: the one the credit method is made for"),
    collect: input.part(searchPart, "NAME", "A search that collects episodes in the place of the strategy"),
    objective: input.part(policyLossPart, "NAME", "Another policy loss than the recipe's"),
    ...rewardInputs,
    scorer: input.path(
      "NAME|DIR",
      "A trained scorer for strategies that want to know how likely an episode is to succeed: a bundled one by its world, or a folder of limbeck reward train",
    ),
    ask: askInput(
      "Let a model write what the recipe wants written: skills, reflections, reasons, queries. By itself or as chat, the chat model (LIMBECK_CHAT_…); policy, the policy that is trained; bundled, the writer of limbeck-writer-model; local:DIR, a model folder or GGUF file. Where it fails, templates write, and metrics count it (writer/…)",
    ),
    experts,
  },
  "The worlds": {
    envOptions,
    next: input.texts(
      "WORLD",
      "Another task after it, from the model it leaves: ID, or 'ID NAME=VALUE…'; then what is left of the first",
    ),
  },
  "The model and its answers": {
    model: input.path("DIR", "Model to start from. Default: the bundled one"),
    system: input.text("TEXT", "System message. Default: none"),
    form: input.choice("KIND", "plain or tagged answers. Default: plain", ["plain", "tagged"]),
    prompts: {
      ...speechInputs.prompts,
      meaning: "append (one conversation), rebuilt (each step), memory or context. Default: append",
    },
    thinking: input.text(
      "on|off|N",
      "By the switch of the chat template; N: tokens of thoughts beside the answer's. Default: as the template does",
    ),
    stop: input.texts("TEXT", "A text that also ends an answer"),
    lora: input.count(
      "RANK",
      "Learn an adapter of this rank in the place of the weights, 0 for full weights. Default: full; of a server that cannot, 32",
      { least: 0 },
    ),
    weights: {
      ...weights,
      meaning:
        "With --lora: keep the model that does not learn as int8 or int4; the adapter alone is written. Default: float32",
    },
    draft,
  },
  "The run": {
    seed: input.count(
      "N",
      "Tasks and draws; the same seed gives the same parameters on one machine with as many threads. Default: 1",
      { least: 0 },
    ),
    resume: input.flag("Continue the run in --dir; start it where there is none"),
    budget: input.amounts(
      ["seconds"],
      "seconds=N",
      "Time it may take; then it ends with exit code 1, and --resume goes on. Default: any",
    ),
    stopAt: input.number("SHARE", "End once validation success reaches this", { least: 0, most: 1 }),
    checkpointEvery: input.count("N", "Updates between checkpoints. Default: 5"),
    config: input.path("FILE", "Options and settings as JSON; options of the command line win"),
    ...allowInputs("the file of --config"),
    listSettings: input.flag("List the settings, with defaults and meanings, and end", { flag: "settings" }),
    schema: input.flag("Print a JSON schema of the file of --config, settings included, and end"),
  },
  "What is measured": {
    validateEvery: input.count("N", "Updates between validations. Default: 10, 0 for none", { least: 0 }),
    validationTasks: input.count("N", "Default: 128"),
    reportTasks: input.count("N", "Held-out tasks before and after. Default: 256"),
  },
  "Cores, GPUs and other machines": {
    threads,
    cores,
    gpu: input.flag("Weights on a GPU: starts PyTorch beside the training, and ends it"),
    python: input.text("FILE", "With --gpu: a Python that has PyTorch. Default: python3"),
    device: input.text("NAME", "With --gpu: cuda, cuda:1 or cpu. Default: cuda"),
    trainer: input.text("URL", "Weights on a Tinker server, limbeck trainer for example"),
    baseModel: input.text("NAME", "With --trainer: which of its models. Default: the only one"),
    lag: input.count("N", "Play beside the learning, at most N updates behind; 0: strictly on-policy", { least: 0 }),
    correction: input.choice(
      "NAME",
      "With --lag: what is done about older tokens. Default: token",
      async () => (await import("limbeck-core/update/correction")).CORRECTIONS,
    ),
    truncate: input.number("W", "With --lag: largest weight of a token. Default: 2", { least: 0 }),
    rejectAbove: input.number("KL", "With --lag: leave out rows further off than this", { least: 0 }),
    fleet: input.text("URL", "Let workers play: the Redis server of limbeck worker"),
    fleetRewards: input.flag("With --fleet: workers that offer it give the rewards of --reward too"),
    serve: input.text("HOST:PORT", "With --fleet: also hand the weights to workers over HTTP"),
    announce: input.text("URL", "With --serve: the address at which workers reach it. Default: that of --serve"),
    ...tlsInputs,
  },
} as const;

export const trainInputs = {
  ...trainGroups["Usual options"],
  ...trainGroups["The method"],
  ...trainGroups["The worlds"],
  ...trainGroups["The model and its answers"],
  ...trainGroups["The run"],
  ...trainGroups["What is measured"],
  ...trainGroups["Cores, GPUs and other machines"],
} as const;

export type TrainInput = Input<typeof trainInputs>;
