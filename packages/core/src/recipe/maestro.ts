/** Maestro: a policy that asks frozen experts, and learns from the outcome and from whether it asked in due form. */
import { EngineError } from "limbeck-base/base/errors";
import { isOrchestrated } from "../orchestrate/with-experts.ts";
import { choosingSettings } from "./choosing-settings.ts";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const maestro = defineRecipe({
  info: {
    title: "Maestro",
    paper: "Maestro: Reinforcement Learning to Orchestrate Hierarchical Model-Skill Ensembles",
    confidence: "code",
    source:
      "jinyangwu/Maestro @ 5b8257c9; verl_tool/workers/reward_manager/torl.py: compute_format_reward, add_additional_penalties; train.sh",
    meaning: "Learns from outcomes whom to ask and when to stop; an episode without a call, or with a bad one, pays 1.",
    departures: [
      "Experts are given with --experts: one list, each a model with a skill, where the paper has a library of models and one of skills. An expert acts in the world, or advises; there it answers a question, and the orchestrator writes the answer.",
      "An answer is the end of an episode: stop, or the end of the world. Two answers cannot be given. A call beyond the most calls is refused and no fault; steps that run out are, unless an expert took the last of them (there an episode without an answer always pays).",
      "The outcome is the world's reward, so failure is worth 0, as in the published scorers of geometry, charts and choices; the default one, for boxed answers, gives -1.",
      "Published code also takes a model with a question and no skill, whose name it does not check, refuses placeholders (model-name, your-input) and calls without a question, and finds a fault in tags that are not closed. It takes any name that contains a known one, in capitals or not. Here a call is the line ask NAME, with or without a question, and the name must be exact, capitals too.",
      "Published code keeps of each turn only its last call or answer (of the first a call alone, with at most 200 tokens before it; a first turn without one is thrown away and costs a turn), and trains on nothing else; here turns stand and are trained whole.",
      "An expert that fails answers there with an error text, and a skill shows the last 1,000 characters of its answer; here the episode is lost and has no reward, and answers are shown whole.",
      "Published runs learn from one task of 8 episodes an update, with up to 4 calls, for 380 updates; turns are bounded by the experts file and the world here.",
      "A price of asking (costWeight in the file) is ours, and 0. With answers listed, for small models and our default, no call can be malformed, and an expert gets the goal as its question; with answers free the policy writes it.",
      "The advantage is over step rows. Option credit.countTrajectoryOnce.",
    ],
  },
  credit: "grpo",
  settings: choosingSettings,
  presets: { paper: { answers: "free", tasks: 1, group: 8, klWeight: 0, learningRate: 1e-6, weightDecay: 0.01 } },
  world: (env) => {
    if (isOrchestrated(env)) return env;
    throw new EngineError(
      "needs-unmet",
      `The recipe maestro needs experts to ask, and the world ${env.id} has none here. Give --experts FILE (docs/lookup/orchestrate.md), or wrap the world with withExperts.`,
    );
  },
  update: groupUpdate("clipped"),
});
