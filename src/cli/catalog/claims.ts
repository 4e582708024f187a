/**
 * What works, by the system's name in data/catalog.tsv. A method that is built adds its line here; everything else is
 * "not yet". A test refuses a claim without a command, for an unknown system or with a command that does not exist.
 */
import type { Claim } from "./claim.ts";
import { distillClaims } from "./distill-claims.ts";
import { orchestrateClaims } from "./orchestrate-claims.ts";
import { preferenceClaims } from "./preference-claims.ts";
import { rolloutClaims } from "./rollout-claims.ts";
import { searchClaims } from "./search-claims.ts";
import { skillClaims } from "./skill-claims.ts";

export const claims: Readonly<Record<string, Claim>> = {
  ...distillClaims,
  ...orchestrateClaims,
  ...preferenceClaims,
  ...rolloutClaims,
  ...searchClaims,
  ...skillClaims,
  A2TGPO: { state: "works", lives: "src/credit/a2tgpo.ts", command: "limbeck train --recipe grpo --credit a2tgpo" },
  "Agent Data Protocol (ADP)": {
    state: "part",
    lives: "src/store/formats/adp.ts",
    command: "limbeck sft --model DIR --in FILE --format adp --out DIR",
    missing:
      "Reads versions 1.0 to 1.2 and renders them for fine-tuning with loss masks (limbeck sft); what is written is ATIF, their successor, not ADP.",
  },
  "Co-GRPO": {
    state: "part",
    lives: "src/objective/co-grpo.ts",
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
  CTPO: { state: "works", lives: "src/objective/ctpo.ts", command: "limbeck train --recipe grpo --objective ctpo" },
  DynFrame: {
    state: "part",
    lives: "src/credit/sd-grpo.ts",
    command: "limbeck train --recipe grpo --credit sd-grpo",
    missing: "The segment-wise credit runs in a training on the parts of an answer; video is not here.",
  },
  "EmbodiedBrain / Step-GRPO": {
    state: "part",
    lives: "src/credit/step-grpo.ts",
    command: "limbeck train --recipe grpo --credit step-grpo",
    missing:
      "Episodes that begin with correct steps of a demonstrator, and their credit, run in a training; the vision model is not here.",
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
  GiGPO: { state: "works", lives: "src/recipe/gigpo.ts", command: "limbeck train --recipe gigpo" },
  HGPO: { state: "works", lives: "src/recipe/hgpo.ts", command: "limbeck train --recipe hgpo" },
  "Hi-Agent": {
    state: "part",
    lives: "src/credit/hi-agent.ts",
    command: "limbeck train --recipe grpo --credit hi-agent",
    missing:
      "The foresight advantage runs in a training on rewards of steps; the pair of planner and executor is not here.",
  },
  "HyperEyes (TRACE)": {
    state: "part",
    lives: "src/reward/trace.ts",
    command: "limbeck explain trace",
    missing:
      "The reward and its tightening reference are complete; the distillation of failed rollouts is not joined to it.",
  },
  HölderPO: {
    state: "works",
    lives: "src/objective/holderpo.ts",
    command: "limbeck train --recipe grpo --objective holderpo",
  },
  InfoPO: { state: "works", lives: "src/credit/infopo.ts", command: "limbeck train --recipe grpo --credit infopo" },
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
    command: "limbeck train --recipe grpo --credit matchtir --env tools",
    missing: "References, matching and credit run in a training; no bundled model speaks the language of tools yet.",
  },
  "MC-GRPO": {
    state: "works",
    lives: "src/credit/mc-grpo.ts",
    command: "limbeck train --recipe grpo --credit mc-grpo --set group=9",
  },
  "Memory-R2": {
    state: "part",
    lives: "src/credit/logo-grpo.ts",
    command: "limbeck train --recipe grpo --credit logo-grpo",
    missing:
      "Global and local advantages run in a training, from restored states; the two memory roles and the curriculum are not here.",
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
    command: "limbeck train --recipe grpo --credit vg-grpo",
    missing: "The variance gate runs in any training; diffusion planners and traffic are not here.",
  },
  MultiCritique: {
    state: "part",
    lives: "src/reward/critics.ts",
    command: "limbeck explain critics",
    missing: "Critiques are merged by vote into rewards of turns; critics trained on merged critiques are not here.",
  },
  OPID: { state: "works", lives: "src/recipe/opid.ts", command: "limbeck train --recipe opid" },
  PORTool: {
    state: "part",
    lives: "src/credit/portool.ts",
    command: "limbeck train --recipe grpo --credit portool",
    missing: "Tree rollouts and both advantages run in a training; no bundled model speaks the language of tools yet.",
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
    command: "limbeck train --recipe grpo --credit rapo",
    missing:
      "Retention reward and statistics that live on run in a training from the model of the task before; one command for a sequence of tasks is not here.",
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
  ReMax: { state: "works", lives: "src/credit/remax.ts", command: "limbeck train --recipe grpo --credit remax" },
  "RL-Struct": {
    state: "part",
    lives: "src/reward/structure.ts",
    command: "limbeck explain structure",
    missing: "The layered reward is complete, each layer stored by name; its training run is not here.",
  },
  SIOP: {
    state: "part",
    lives: "src/credit/siop.ts",
    command: "limbeck train --recipe grpo --credit siop",
    missing: "Clusters, scores and credit run in a training; entailment is by words unless a test of it is given.",
  },
  SPO: { state: "works", lives: "src/credit/spo-tree.ts", command: "limbeck train --recipe grpo --credit spo-tree" },
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
    command: "limbeck train --recipe grpo --credit tablemind",
    missing: "The rank-aware advantages run in any training; the table agent is not here.",
  },
  "TreePS-RAG": {
    state: "part",
    lives: "src/credit/treeps-rag.ts",
    command: "limbeck train --recipe grpo --credit treeps-rag",
    missing:
      "Trees under a budget, step values and advantages run in a training; choosing nodes by different retrieved documents is not here.",
  },
  "Unified XAI evaluation (trace rubrics)": {
    state: "part",
    lives: "src/eval/rubrics/index.ts",
    command: "limbeck eval --run RUN --rubrics",
    missing:
      "Five rubrics are checked by rule on every trajectory, with the steps that show them; rubrics written by a model and feature attribution are not here.",
  },
};
