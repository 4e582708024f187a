/** Early Experience: learns from what comes of its own ideas at an expert's states. No reward is read anywhere. */
import { option } from "limbeck-base/base/option";
import {
  contrasts,
  reflections,
  contrastText,
  demonstratedSteps,
  nextObservations,
} from "../distill/imitation/early-experience.ts";
import { learnLessons, rowsOfLessons, thoughtfulAnswer, thoughtSettings } from "./imitate.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { writtenReasons } from "../update/written-reasons.ts";

export const earlyExperience = defineRecipe({
  info: {
    title: "Early Experience",
    paper: "Agent Learning via Early Experience, arXiv 2510.08558",
    confidence: "reading",
    source:
      "a third party's reading of arXiv 2510.08558, bzhng-development/summary-of-some-paper-in-cuda @ a1fbd366; docs/training-methods/AgentLearningviaEarlyExperience.md: sections 4.1 to 4.3, Eq. 2 to 4",
    meaning:
      "At each state of an expert the policy tries its own actions too; it learns to predict what comes of them, and why the expert's action was the better one, without any reward.",
    departures: [
      "The expert is the world's demonstrator, which plays anew in every update; the source has a fixed set of demonstrations.",
      "World model, reflection and imitation are learned together, in one update; in the source world model and reflection are two methods, and the first trains in two stages, predictions and then imitation.",
      "The source writes one reason for each alternative; here one for each state, which names up to `contrasted` of them.",
      "A token of a prediction or of a reason after the action weighs 0.1 of a token of an action (observationWeight, thoughtWeight); in Eq. 3 and 4 all weigh the same.",
      "Without a writer (--ask) reasons are written from the two observations by a template; the source lets a language model write them.",
      "A reason is learned after the action unless thought=before: a small model that only says actions could not act any more. With thought=before actions alone are not learned; the source mixes both.",
    ],
  },
  // Nobody asks for advantages.
  credit: "grpo",
  strategy: { name: "alternatives", options: {} },
  settings: {
    worldModel: option.flag(true, "predict the next observation after own actions"),
    observationWeight: option.number(0.1, "weight of a predicted token", { least: 0 }),
    reflection: option.flag(true, "learn the expert's action with the reason for it"),
    imitation: option.flag(true, "learn the expert's action alone"),
    contrasted: option.count(2, "own actions that a reason names"),
    ...thoughtSettings,
    group: { ...sharedSettings.group, default: 1 },
  },
  update: async (update, settings) => {
    const episodes = await collect(update);
    const {
      thought: place,
      thoughtWeight,
      worldModel,
      reflection,
      imitation,
      observationWeight,
      contrasted,
    } = settings;
    const predicted = worldModel ? nextObservations(episodes) : [];
    const found = reflection ? contrasts(episodes, { most: contrasted }) : [];
    const { textWriter: writer, signal } = update;
    const texts =
      writer === undefined
        ? found.map((contrast) => contrastText(contrast))
        : await writtenReasons(writer, found, contrastText, signal);
    const reasons = reflections(found, { place, write: thoughtfulAnswer }, texts);
    await learnLessons(update, [
      ...rowsOfLessons(update, "observations", predicted, episodes, observationWeight),
      ...rowsOfLessons(update, "reflections", reasons, episodes, thoughtWeight),
      // With a thought before it an action alone would teach another form of answer.
      ...(imitation && place === "after"
        ? rowsOfLessons(update, "actions", demonstratedSteps(episodes), episodes, 1)
        : []),
    ]);
  },
});
