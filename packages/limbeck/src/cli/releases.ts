/** Releases so far and to come, for docs/lookup/generated/cli.md. */

/** What each release brings, in a few words. */
export const releases = {
  "0.2": "environments: ALFWorld, household, shop, research, tools, countdown",
  "0.3": "the local policy: a model that samples, scores and learns in Node",
  "0.4": "credit methods and objectives",
  "0.5": "rollouts and rewards",
  "0.6": "OPID from end to end",
  "0.7": "evaluation and the arena",
  "0.8": "every published credit method",
  "0.9": "recording of any agent",
  "0.10": "the skill library",
  "0.11": "the studio, a web page",
  "0.12": "remote trainers and rollout workers",
  "0.13": "the distillation family and preferences",
  "0.14": "search at the moment of decision",
} as const;
