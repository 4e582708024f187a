/** `limbeck train`: run a recipe. */
import { allowOptions } from "../allow-options.ts";
import type { Command } from "../command.ts";
import { tlsOptions } from "../listening.ts";
import { creditPart, recipePart, searchPart, strategyPart } from "../../run/methods.part.ts";
import { rewardOptions } from "../methods/reward-options.ts";
import { worldInputs } from "../../env/world.inputs.ts";
import { optionsOf } from "../options-of.ts";
import { envPart } from "../../env/env.part.ts";
import { ask, shared, text } from "../options.ts";

export const train: Command = {
  group: "learn",
  summary: "Train a policy with a recipe",
  usage: "[--recipe NAME] [--env ID] [--model DIR] [--steps N] [--seed N] [--dir DIR] [--set KEY=VALUE…] [--resume]",
  description:
    "An update rolls out groups of episodes, assigns credit and changes the weights. Without options: the recipe opid on household tiny with the bundled model. Success on held-out tasks is measured before the first and after the last update, and on validation tasks in between.\n" +
    "The folder of the run holds everything: episodes, skills, metrics (limbeck runs, show and sql read them) and the model, in model/. A run that was killed goes on with --resume and the same options, and ends with the same parameters as one that was not.\n" +
    "A run stops with exit code 1 when fewer than half of the episodes of an update, or of the held-out tasks, were finished, and before an update with NaN values. The cause is named, the last good weights are kept, and --resume goes on from them.\n" +
    "Settings of the recipe are given with --set, those of its credit method as credit.NAME, of the rollout strategy as strategy.NAME, of a search that collects as collect.NAME, of a policy loss chosen by --objective as objective.NAME, of whoever supplies what the credit method needs as PROVIDER.NAME; --settings lists them. Rewards in the place of the world's own are a name (--reward) or a plan of several with weights, options and screens (--rewards); docs/rewards.md tells of them. With --next the training goes on in another world, or with other options of the same one, with the same settings and --steps updates more; credit methods keep what they carry, and held-out tasks of the earlier worlds are played again. Each task has a folder of its own below --dir. A file given by --config holds the same keys as JSON under settings, and may hold the options above it.",
  options: {
    recipe: { type: "string", value: "NAME", summary: "Default: opid", choices: recipePart.names },
    preset: { type: "string", value: "NAME", summary: "A named set of settings of the recipe: paper" },
    credit: {
      type: "string",
      value: "NAME",
      summary: "Another credit method than the recipe's",
      choices: creditPart.names,
    },
    strategy: {
      type: "string",
      value: "NAME",
      summary: "Rollout strategy. Default: the one the credit method is made for",
      choices: strategyPart.names,
    },
    collect: {
      type: "string",
      value: "NAME",
      summary: "A search that collects episodes in the place of the strategy",
      choices: searchPart.names,
    },
    objective: {
      type: "string",
      value: "NAME",
      summary: "Another policy loss than the recipe's",
      choices: objectiveNames,
    },
    ...rewardOptions,
    env: { type: "string", value: "ID", summary: "The world. Default: household", choices: envPart.names },
    "env-set": { type: "string", value: "NAME=VALUE", multiple: true, summary: "An option of the world: dial=tiny" },
    next: {
      type: "string",
      value: "WORLD",
      multiple: true,
      summary:
        "Another task after it, from the model it leaves: ID, or 'ID NAME=VALUE…'; then what is left of the first",
    },
    scorer: {
      type: "string",
      value: "NAME|DIR",
      summary:
        "A trained scorer for strategies that want to know how likely an episode is to succeed: a bundled one by its world, or a folder of limbeck reward train",
    },
    ask: ask(
      "Let a model write what the recipe wants written: skills, reflections, reasons, queries. By itself or as chat, the chat model (LIMBECK_CHAT_…); policy, the policy that is trained; bundled, the writer of limbeck-writer-model; local:DIR, a model folder or GGUF file. Where it fails, templates write, and metrics count it (writer/…)",
    ),
    experts: optionsOf(worldInputs).experts,
    model: { type: "string", value: "DIR", summary: "Model to start from. Default: the bundled one" },
    system: { type: "string", value: "TEXT", summary: "System message. Default: none" },
    form: {
      type: "string",
      value: "KIND",
      summary: "plain or tagged answers. Default: plain",
      choices: () => ["plain", "tagged"],
    },
    prompts: {
      type: "string",
      value: "KIND",
      summary: "append (one conversation), rebuilt (each step), memory or context. Default: append",
      choices: () => ["append", "rebuilt", "memory", "context"],
    },
    thinking: {
      type: "string",
      value: "on|off|N",
      summary:
        "By the switch of the chat template; N: tokens of thoughts beside the answer's. Default: as the template does",
    },
    stop: { type: "string", value: "TEXT", multiple: true, summary: "A text that also ends an answer" },
    trainer: { type: "string", value: "URL", summary: "Weights on a Tinker server, limbeck trainer for example" },
    "base-model": {
      type: "string",
      value: "NAME",
      summary: "With --trainer: which of its models. Default: the only one",
    },
    gpu: { type: "boolean", summary: "Weights on a GPU: starts PyTorch beside the training, and ends it" },
    python: { type: "string", value: "FILE", summary: "With --gpu: a Python that has PyTorch. Default: python3" },
    device: { type: "string", value: "NAME", summary: "With --gpu: cuda, cuda:1 or cpu. Default: cuda" },
    lora: {
      type: "string",
      value: "RANK",
      summary:
        "Learn an adapter of this rank in the place of the weights, 0 for full weights. Default: full; of a server that cannot, 32",
    },
    lag: {
      type: "string",
      value: "N",
      summary: "Play beside the learning, at most N updates behind; 0: strictly on-policy",
    },
    correction: {
      type: "string",
      value: "NAME",
      summary: "With --lag: what is done about older tokens. Default: token",
      choices: () => ["token", "sequence", "bypass", "none"],
    },
    truncate: { type: "string", value: "W", summary: "With --lag: largest weight of a token. Default: 2" },
    "reject-above": { type: "string", value: "KL", summary: "With --lag: leave out rows further off than this" },
    fleet: { type: "string", value: "URL", summary: "Let workers play: the Redis server of limbeck worker" },
    "fleet-rewards": {
      type: "boolean",
      summary: "With --fleet: workers that offer it give the rewards of --reward too",
    },
    serve: {
      type: "string",
      value: "HOST:PORT",
      summary: "With --fleet: also hand the weights to workers over HTTP",
    },
    announce: {
      type: "string",
      value: "URL",
      summary: "With --serve: the address at which workers reach it. Default: that of --serve",
    },
    ...tlsOptions,
    steps: { type: "string", value: "N", summary: "Updates. Default: 50" },
    seed: {
      type: "string",
      value: "N",
      summary:
        "Tasks and draws; the same seed gives the same parameters on one machine with as many threads. Default: 1",
    },
    set: { type: "string", value: "KEY=VALUE", multiple: true, summary: "A setting of the recipe" },
    config: { type: "string", value: "FILE", summary: "Options and settings as JSON; options of the command line win" },
    ...allowOptions("the file of --config"),
    settings: { type: "boolean", summary: "List the settings, with defaults and meanings, and end" },
    schema: { type: "boolean", summary: "Print a JSON schema of the file of --config, settings included, and end" },
    dir: { type: "string", value: "DIR", summary: "Folder of the run. Default: a new one in the store" },
    resume: { type: "boolean", summary: "Continue the run in --dir; start it where there is none" },
    "validate-every": {
      type: "string",
      value: "N",
      summary: "Updates between validations. Default: 10, 0 for none",
    },
    "validation-tasks": { type: "string", value: "N", summary: "Default: 128" },
    "report-tasks": { type: "string", value: "N", summary: "Held-out tasks before and after. Default: 256" },
    "checkpoint-every": { type: "string", value: "N", summary: "Updates between checkpoints. Default: 5" },
    budget: {
      type: "string",
      value: "seconds=N",
      multiple: true,
      summary: "Time it may take; then it ends with exit code 1, and --resume goes on. Default: any",
    },
    "stop-at": { type: "string", value: "SHARE", summary: "End once validation success reaches this" },
    threads: shared.threads,
    cores: shared.cores,
    weights: text(
      "KIND",
      "With --lora: keep the model that does not learn as int8 or int4; the adapter alone is written. Default: float32",
      async () => ["auto", ...(await import("../../policy/local/quantised/kinds.ts")).WEIGHT_KINDS],
    ),
    draft: shared.draft,
  },
  sections: {
    "Usual options": ["recipe", "env", "steps", "set", "dir"],
    "The method": [
      "preset",
      "credit",
      "strategy",
      "collect",
      "objective",
      "reward",
      "reward-set",
      "rewards",
      "scorer",
      "ask",
      "experts",
    ],
    "The worlds": ["env-set", "next"],
    "The model and its answers": ["model", "system", "form", "prompts", "thinking", "stop", "lora", "weights", "draft"],
    "The run": [
      "seed",
      "resume",
      "budget",
      "stop-at",
      "checkpoint-every",
      "config",
      "allow-commands",
      "allow-addresses",
      "settings",
      "schema",
    ],
    "What is measured": ["validate-every", "validation-tasks", "report-tasks"],
    "Cores, GPUs and other machines": [
      "threads",
      "cores",
      "gpu",
      "python",
      "device",
      "trainer",
      "base-model",
      "lag",
      "correction",
      "truncate",
      "reject-above",
      "fleet",
      "fleet-rewards",
      "serve",
      "announce",
      "tls-cert",
      "tls-key",
    ],
  },
  examples: [
    "limbeck train",
    "limbeck train --recipe grpo --steps 100 --seed 2 --dir runs/grpo-2",
    "limbeck train --recipe opid --set teacher=self --set form=shift --set credit.episodeWeight=0.01",
    "limbeck train --recipe grpo --credit gigpo --set credit.gamma=0.9 --json",
    "limbeck train --recipe grpo --credit mc-critic --set continuations.count=2",
    "limbeck train --recipe grpo --collect mcts --set collect.envSteps=120",
    "limbeck train --recipe grpo --objective sapo --set miniBatches=4",
    "limbeck train --recipe grpo --strategy archive --set tasks.pool=64",
    "limbeck train --recipe grpo --reward trace",
    "limbeck train --recipe grpo --env tools --rewards rewards.yaml",
    "limbeck train --dir runs/grpo-2 --recipe grpo --steps 100 --seed 2 --resume",
    "limbeck train --recipe grpo --trainer http://127.0.0.1:4143",
    "limbeck train --recipe opid --env alfworld --model models/tinyllama --gpu --lora 32",
    "limbeck train --recipe grpo --model models/my-model --thinking off --stop '\\n' --lora 8",
    "limbeck train --recipe grpo --credit gigpo --schema > training.schema.json",
    "limbeck train --recipe grpo --credit rapo --env-set 'families=[\"pick_cool_then_place_in_recep\"]' --next 'household families=[\"pick_heat_then_place_in_recep\"]'",
    "limbeck train --recipe grpo --lag 2",
    "limbeck train --recipe grpo --lag 1 --fleet redis://127.0.0.1:6379",
  ],
  jsonFields: {
    event:
      '"start", "before", "update", "probe", "validation", "notice", "after", "kept"; the last line has none and is the result',
    run: "start: the run; last line: its folder",
    recipe: "start: the recipe",
    env: "start: the world",
    parameters: "start: numbers that learn",
    from: "start: updates done before",
    updates: "start, update: updates in all",
    update: "which update",
    evaluation:
      "before, probe, validation, after, kept: success with interval (null where fewer than half were seen), tasks, how many were lost (failed) and why (causes), mean steps, share of refused actions",
    success: "update: share of the training episodes that succeeded, of those that were not lost",
    episodes: "update: training episodes",
    reward: "update: their mean reward",
    entropy: "update: mean surprise of a sampled token, in nats",
    metrics: "update: everything that was measured, by name",
    phases: "update: seconds of each phase",
    spent: "update: environment steps, tokens and seconds so far",
    message: "notice: what a person should know",
    task: "kept: the earlier task, from 1",
    had: "kept: its held-out success when its own training ended",
    drop: "kept: that minus its success now",
    kept: "last line, with --next: for each earlier task what it had, its success now and the drop",
    before: "last line: success, low, high, tasks, failed and causes before training",
    after: "kept: the task after which it was measured; last line: success and the rest after the training",
    seconds: "update: seconds it took; last line: of the whole run",
    environmentSteps: "last line: steps of training episodes",
    tokens: "last line: sampled tokens of training episodes",
    reason: "last line: finished or early-stop",
    digest: "last line: SHA-256 of the parameters; null where they are elsewhere",
    name: "--settings: a setting",
    kind: "--settings: number, limit (a number or none), flag or choice",
    default: "--settings: its default",
    allowed: "--settings: what it takes",
    meaning: "--settings: what it does",
    $schema:
      "--schema: the dialect of the schema, whose other fields are title, type, properties, additionalProperties",
    title: "--schema: the recipe",
    type: "--schema: object",
    properties: "--schema: options and settings",
    additionalProperties: "--schema: false",
  },
  natives: ({ flag, text }) => {
    if (flag("settings") || flag("schema")) return [];
    return text("trainer") === undefined && !flag("gpu") ? ["duckdb", "onnxruntime"] : ["duckdb"];
  },
  run: async (invocation) => (await import("../train/run-train.ts")).runTrain(invocation),
};

async function objectiveNames(): Promise<readonly string[]> {
  return (await import("../../recipe/settings.ts")).POLICY_LOSSES;
}
