/**
 * What works, by the system's name in data/catalog.tsv. A method that is built adds its line here; everything else is
 * "not yet". A test refuses a claim without a command, for an unknown system or with a command that does not exist.
 */
import type { Claim } from "./claim.ts";
import { rolloutClaims } from "./rollout-claims.ts";

export const claims: Readonly<Record<string, Claim>> = {
  ...rolloutClaims,
  A2TGPO: {
    state: "part",
    lives: "src/credit/a2tgpo.ts",
    command: "limbeck explain a2tgpo",
    missing:
      "Advantages and clip ranges work on given probabilities of the answer; the provider that scores it after each turn is not here yet.",
  },
  "Agent Data Protocol (ADP)": {
    state: "part",
    lives: "src/store/formats/adp.ts",
    command: "limbeck sft --model DIR --in FILE --format adp --out DIR",
    missing:
      "Reads versions 1.0 to 1.2 and renders them for fine-tuning with loss masks (limbeck sft); what is written is ATIF, their successor, not ADP.",
  },
  "Co-GRPO": {
    state: "part",
    lives: "src/train/co-grpo.ts",
    command: "limbeck explain co-grpo",
    missing:
      "The joint term works where a schedule is part of the policy's own tokens; masked diffusion models are not here.",
  },
  CoSearch: {
    state: "part",
    lives: "src/credit/cosearch.ts",
    command: "limbeck explain cosearch",
    missing:
      "The ranker's groups and advantages work on given qualities; training ranker and searcher together is not here yet.",
  },
  CTPO: {
    state: "part",
    lives: "src/train/ctpo.ts",
    command: "limbeck explain ctpo",
    missing: "The objective is complete, also with the published dual clip; a published run was not repeated.",
  },
  DynFrame: {
    state: "part",
    lives: "src/credit/sd-grpo.ts",
    command: "limbeck explain sd-grpo",
    missing: "The segment-wise credit works on given rewards of both segments; video is not here.",
  },
  "EmbodiedBrain / Step-GRPO": {
    state: "part",
    lives: "src/credit/step-grpo.ts",
    command: "limbeck explain step-grpo",
    missing:
      "The credit compares rollouts with equal guidance; the recipe that puts correct first steps into prompts is not here yet.",
  },
  "Fin-PRM": {
    state: "part",
    lives: "src/reward/process.ts",
    command: "limbeck explain process",
    missing:
      "Mixes a given scorer of steps with the outcome; the scorer that the paper trains on ledgers is an argument.",
  },
  GenAgent: {
    state: "part",
    lives: "src/reward/improvement.ts",
    command: "limbeck explain improvement",
    missing:
      "The reward works on any quality per step, for text as for pictures; image tools and their training are not here.",
  },
  GenARM: {
    state: "part",
    lives: "src/reward/autoregressive.ts",
    command: "limbeck explain autoregressive",
    missing: "Token rewards of a given reward model; its training on pairs and the guided decoding are not here.",
  },
  "Generation Navigator (PRE-GRPO)": {
    state: "part",
    lives: "src/reward/peak-retention.ts",
    command: "limbeck explain peak-retention",
    missing: "The reward is complete and goes with any credit method; image generation is not here.",
  },
  GiGPO: {
    state: "part",
    lives: "src/credit/gigpo.ts",
    command: "limbeck explain gigpo",
    missing: "The credit is complete; a recipe that rolls out and trains with it comes with release 0.6.",
  },
  HGPO: {
    state: "part",
    lives: "src/credit/hgpo.ts",
    command: "limbeck explain hgpo",
    missing: "The credit is complete; a recipe that rolls out and trains with it comes with release 0.6.",
  },
  "Hi-Agent": {
    state: "part",
    lives: "src/credit/hi-agent.ts",
    command: "limbeck explain hi-agent",
    missing: "The foresight advantage works on given scores of subgoals; the pair of planner and executor is not here.",
  },
  "HyperEyes (TRACE)": {
    state: "part",
    lives: "src/reward/trace.ts",
    command: "limbeck explain trace",
    missing:
      "The reward and its tightening reference are complete; the distillation of failed rollouts is not joined to it.",
  },
  HölderPO: {
    state: "part",
    lives: "src/train/holderpo.ts",
    command: "limbeck explain holderpo",
    missing: "The objective and its annealing are complete; a published run was not repeated.",
  },
  InfoPO: {
    state: "part",
    lives: "src/credit/infopo.ts",
    command: "limbeck explain infopo",
    missing:
      "The credit is complete on given scores without the observation; the provider that makes them is not here yet.",
  },
  JarvisArt: {
    state: "part",
    lives: "src/reward/tool-match.ts",
    command: "limbeck explain tool-match",
    missing: "Format, operations and outcome add up by the reward components; the quality of a picture is not judged.",
  },
  MAPO: {
    state: "part",
    lives: "src/credit/mapo.ts",
    command: "limbeck explain mapo",
    missing:
      "The credit works on scores of turns, which the reward turn-judge gives; a recipe that joins them is not here.",
  },
  MatchTIR: {
    state: "part",
    lives: "src/credit/matchtir.ts",
    command: "limbeck explain matchtir",
    missing:
      "Matching and credit are complete on given calls; a recipe that records them on the tools environment is not here yet.",
  },
  "MC-GRPO": {
    state: "part",
    lives: "src/credit/mc-grpo.ts",
    command: "limbeck explain mc-grpo",
    missing: "The credit is complete; a recipe that samples the extra rollout comes with release 0.6.",
  },
  "Memory-R2": {
    state: "part",
    lives: "src/credit/logo-grpo.ts",
    command: "limbeck explain logo-grpo",
    missing:
      "Global and local advantages work on given snapshots; memory, its restoring and the curriculum are not here yet.",
  },
  "Motion-o": {
    state: "part",
    lives: "src/reward/motion-tags.ts",
    command: "limbeck explain motion-tags",
    missing: "Direction and speed that a text states are checked against tracks of coordinates; no video is seen.",
  },
  "Multi-ORFT (VG-GRPO)": {
    state: "part",
    lives: "src/credit/vg-grpo.ts",
    command: "limbeck explain vg-grpo",
    missing: "The variance gate works in any recipe; diffusion planners and traffic are not here.",
  },
  MultiCritique: {
    state: "part",
    lives: "src/reward/critics.ts",
    command: "limbeck explain critics",
    missing: "Critiques are merged by vote into rewards of turns; critics trained on merged critiques are not here.",
  },
  OPID: { state: "works", lives: "src/recipe/opid.ts", command: "limbeck train --recipe opid" },
  PBSD: {
    state: "part",
    lives: "src/credit/pbsd.ts",
    command: "limbeck explain pbsd",
    missing:
      "The credit is complete on given scores with the answer shown; the provider that makes them is not here yet.",
  },
  PORTool: {
    state: "part",
    lives: "src/credit/portool.ts",
    command: "limbeck explain portool",
    missing:
      "Fork-relative and trajectory-relative advantages are complete; tree rollouts over tools are not here yet.",
  },
  "Principle-guided LLM judge vs multi-agent RM": {
    state: "part",
    lives: "src/reward/rubric-judge.ts",
    command: "limbeck explain rubric-judge",
    missing:
      "A judge with principles gives the reward; the adversarial rounds that train it and the preference model are not here.",
  },
  ProcVLM: {
    state: "part",
    lives: "src/reward/subgoals.ts",
    command: "limbeck explain subgoals",
    missing: "Budgets of subgoals over text states; the model that sees progress in video is not here.",
  },
  RaPO: {
    state: "part",
    lives: "src/credit/rapo.ts",
    command: "limbeck explain rapo",
    missing:
      "Retention reward and statistics across tasks are complete on given scores of the earlier policy; a recipe over a sequence of tasks is not here yet.",
  },
  "ReasonFlux-PRM": {
    state: "part",
    lives: "src/reward/process.ts",
    command: "limbeck explain process",
    missing: "Mixes a given scorer of steps with the outcome; the training of the scorer is not here.",
  },
  "RebuttalAgent / Rebuttal-RM": {
    state: "part",
    lives: "src/reward/rubric-judge.ts",
    command: "limbeck explain rubric-judge",
    missing: "A policy can be passed as its own judge; the rebuttal data and its reward model are not here.",
  },
  ReMax: {
    state: "part",
    lives: "src/credit/remax.ts",
    command: "limbeck explain remax",
    missing: "The credit is complete; a recipe that adds the greedy rollout comes with release 0.6.",
  },
  "RL-Struct": {
    state: "part",
    lives: "src/reward/structure.ts",
    command: "limbeck explain structure",
    missing: "The layered reward is complete, each layer stored by name; its training run is not here.",
  },
  SIOP: {
    state: "part",
    lives: "src/credit/siop.ts",
    command: "limbeck explain siop",
    missing:
      "Clusters by any test of entailment, and the credit, are complete; the scorer of answers after each turn is not here yet.",
  },
  SPO: {
    state: "part",
    lives: "src/credit/spo-tree.ts",
    command: "limbeck explain spo-tree",
    missing:
      "Chain and tree credit are complete (also limbeck explain spo-chain); sampling continuations at cut points is not here yet.",
  },
  SSL: {
    state: "part",
    lives: "src/reward/tiers.ts",
    command: "limbeck explain tiers",
    missing:
      "The reward is complete and leaves fewer groups without a difference (test); the rollouts it saves in training were not measured.",
  },
  TableMind: {
    state: "part",
    lives: "src/credit/tablemind.ts",
    command: "limbeck explain tablemind",
    missing: "The rank-aware advantages work in any recipe; the table agent is not here.",
  },
  "TreePS-RAG": {
    state: "part",
    lives: "src/credit/treeps-rag.ts",
    command: "limbeck explain treeps-rag",
    missing: "Step values and advantages are complete; growing the tree under a budget is not here yet.",
  },
  "Unified XAI evaluation (trace rubrics)": {
    state: "part",
    lives: "src/eval/rubrics/index.ts",
    command: "limbeck eval --run RUN --rubrics",
    missing:
      "Five rubrics are checked by rule on every trajectory, with the steps that show them; rubrics written by a model and feature attribution are not here.",
  },
};
