/** Plain titles for the metrics of a training, with one sentence each. The store's own name stands behind them. */
export interface MetricWords {
  readonly title: string;
  readonly meaning: string;
}

type Line = readonly [title: string, meaning: string];

const KNOWN: Readonly<Record<string, Line>> = {
  success: ["Success of training episodes", "Share of this update's own episodes that reached their goal."],
  "held-out success": ["Success on held-out tasks", "Tasks that are never trained on, before and after the training."],
  "validation success": ["Success on validation tasks", "Tasks beside the training, played every few updates."],
  "teacher's own success": [
    "Success of the teacher",
    "How often the same model solves a task when it reads the skill.",
  ],
  reward: ["Mean reward", "Mean reward of this update's episodes."],
  entropy: ["Entropy", "How unsure the model was of its words, on average; near zero it always says the same."],
  loss: ["Loss", "What the update made smaller, averaged over its steps."],
  gradientNorm: ["Size of the gradient", "Length of the gradient before it was clipped, averaged over the steps."],
  learningRate: ["Learning rate", "How far a step goes along the gradient."],
  ratioSpread: ["Spread of the ratios", "How far the new probabilities of words came from those they were said with."],
  clipFraction: ["Clipped words", "Share of words whose ratio was clipped, so that they taught nothing more."],
  staleShare: ["Words of older versions", "Share of the words learned from that an older version of the model said."],
  trainedTokens: ["Words learned from", "Tokens of the policy that entered the loss of this update."],
  seconds: ["Seconds of an update", "Wall-clock time of the whole update."],
  "teacher/shift": ["Teacher shift", "How much likelier the teacher, with the skill, makes each word, on average."],
  "teacher/shiftSpread": ["Spread of the teacher shift", "Standard deviation of the shift over all scored words."],
  "teacher/shiftSuccess": ["Teacher shift in successes", "The same, over words of episodes that reached their goal."],
  "teacher/shiftFailure": ["Teacher shift in failures", "The same, over words of episodes that did not."],
  "teacher/positive": ["Words the teacher likes more", "Share of scored words with a shift above zero."],
  "teacher/active": ["Words with a teacher", "Share of all sampled words that a teacher has scored."],
  "teacher/lost": [
    "Steps without a teacher",
    "Steps that no teacher could score, for example because they are too long.",
  ],
  "teacher/tokens": ["Tokens the teacher read", "Tokens that were scored again with a skill in sight."],
  "teacher/tokensSaved": ["Tokens the teacher shared", "Tokens that several scorings had in common and read once."],
  "teacher/skilled": ["Episodes with a skill", "Episodes that an analyst has written a skill about."],
  "teacher/probeSuccess": ["Success of the teacher", "How often the same model solves a task when it reads the skill."],
  "teacher/probeTasks": ["Tasks of the teacher's probe", "Tasks on which the teacher was tried."],
  "analyst/analysed": ["Episodes analysed", "Episodes that an analyst has looked at."],
  "analyst/failed": ["Analyses that failed", "Their episodes learned without a teacher."],
  "analyst/screened": [
    "Skills stopped by the screen",
    "Texts that were no fit skill; their episodes learned without a teacher.",
  ],
  "credit/mean": ["Mean advantage", "Mean of the advantages of this update."],
  "credit/variance": ["Variance of the advantages", "How different the advantages of this update are."],
  "async/lag": ["Lag", "Updates between the model that played these episodes and the one that learns from them."],
  "async/waitedSeconds": ["Waited for episodes", "Seconds in which the learner waited for episodes."],
  "async/idleSeconds": ["Players were idle", "Seconds in which those who play waited for the learner."],
  "async/ahead": ["Batches ready", "Batches of episodes that are finished and wait to be learned from."],
  "spent/environmentSteps": ["Environment steps so far", "Steps in the world since the training began."],
  "spent/sampledTokens": ["Sampled tokens so far", "Tokens the model has said since the training began."],
  "spent/modelTokens": ["Tokens read so far", "Tokens the model has read or scored since the training began."],
  "spent/seconds": ["Seconds so far", "Wall-clock time since the training began."],
};

const FAMILIES: readonly (readonly [RegExp, (rest: string) => Line])[] = [
  [/^seconds\/(.+)$/, (phase) => [`Seconds: ${phase}`, "Time of this phase of an update."]],
  [/^spent\/(.+)$/, (kind) => [`Spent so far: ${words(kind)}`, "Counted since the training began."]],
  [/^loss\/(.+)$/, (part) => [`Loss: ${words(part)}`, "One part of what the update made smaller."]],
  [/^reward\/(.+)$/, (name) => [`Reward: ${words(name)}`, "Mean of this reward over the update's episodes."]],
  [/^credit\/(.+)$/, (name) => [`Credit: ${words(name)}`, "A number that the credit method reports of this update."]],
  [/^analyst\/(.+)$/, (name) => [`Analyst: ${words(name)}`, "A count of the skill analyst of this update."]],
  [/^teacher\/(.+)$/, (name) => [`Teacher: ${words(name)}`, "A number that the teacher reports of this update."]],
];

export function metricWords(name: string): MetricWords {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  const [title, meaning] = known ?? ofFamily(name) ?? [sentence(words(name)), "A number that the method reports."];
  return { title, meaning };
}

function ofFamily(name: string): Line | undefined {
  for (const [pattern, line] of FAMILIES) {
    const rest = pattern.exec(name)?.[1];
    if (rest !== undefined) return line(rest);
  }
  return undefined;
}

/** "replay/oldRows" is "replay: old rows". */
function words(name: string): string {
  return name
    .replaceAll("/", ": ")
    .replaceAll(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
