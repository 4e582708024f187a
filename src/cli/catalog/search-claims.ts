/** What works of the systems that search, by their names in data/catalog.tsv. */
import type { Claim } from "./claim.ts";

export const searchClaims: Readonly<Record<string, Claim>> = {
  CodeTree: {
    state: "works",
    lives: "src/search/codetree.ts",
    command: "limbeck search --env countdown --policy chat --form tagged --method codetree --ask",
  },
  EvoGit: {
    state: "part",
    lives: "src/search/evolution.ts",
    command: "limbeck search --env household --policy bundled --method evolution",
    missing:
      "Mutation, crossover and traceable parents work on episodes; agents that share a git repository are not here.",
  },
  "FM Agent": {
    state: "works",
    lives: "src/search/evolution.ts",
    command: "limbeck search --env household --policy bundled --method evolution --set islands=4",
  },
  HeavySkill: {
    state: "part",
    lives: "src/search/heavy-skill.ts",
    command: "limbeck search --env countdown --policy chat --form tagged --method heavy-skill --ask",
    missing: "Parallel traces and their synthesis work; reinforcement learning of width and depth is not here.",
  },
  "LongVideo-R1": {
    state: "part",
    lives: "src/search/coarse-to-fine.ts",
    command: "limbeck search --env archive --policy expert --method coarse-to-fine",
    missing:
      "Navigation from coarse to fine works on a text library (archive); video, and training with rewards for visits, are not here.",
  },
  "RTV + PDR": {
    state: "works",
    lives: "src/search/rtv.ts",
    command: "limbeck search --env household --policy bundled --method rtv",
  },
  SimpleTES: {
    state: "works",
    lives: "src/search/simple-tes.ts",
    command: "limbeck search --env household --policy bundled --method simple-tes",
  },
  STaR: {
    state: "part",
    lives: "src/search/star.ts",
    command: "limbeck search --env countdown --policy chat --form tagged --method star --blind",
    missing: "The choice by trajectory uncertainty works; the two-stage training on tables is not here.",
  },
  "Tree-Planner": {
    state: "works",
    lives: "src/search/tree-planner.ts",
    command: "limbeck search --env household --policy bundled --method tree-planner",
  },
  WebOperator: {
    state: "works",
    lives: "src/search/weboperator.ts",
    command: "limbeck search --env shop --policy expert --method weboperator",
  },
};
