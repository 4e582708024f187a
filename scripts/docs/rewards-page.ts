/** docs/rewards.md: every reward and every screen, from the registries. */
import type { Method } from "../../src/cli/methods/all-methods.ts";
import { entrySection, optionTable, overview } from "./entry-section.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function rewardsPage(rewards: readonly Method[], screens: readonly Method[]): string {
  return `${[
    GENERATED,
    "# Rewards",
    `${rewards.length} rewards and ${screens.length} screens. A reward turns finished trajectories into named judgements of the trajectory, of its steps or of its tokens. What cannot be scored stays unscored, with its reason; a judge that failed is never a zero. \`limbeck explain NAME\` prints any of them.`,
    training(),
    usage(),
    overview("reward", rewards, ["needs"]),
    "A reward of your own: [write-a-reward.md](write-a-reward.md).",
    ...rewards.map((reward) => entrySection(reward)),
    "## Screens",
    "Screens look at rewarded trajectories for signs that the reward is being gamed. Each finding has a message and its evidence. A finding is a warning unless the screen's `severity` is `stop`; `stopOnFindings` then ends the run. A screen that is quiet proves nothing: it knows a few tricks, not all.",
    table(
      ["screen", "what it notices"],
      screens.map(({ id, meaning }) => [`\`${id}\``, cell(meaning)]),
    ),
    ...screens.map(screenSection),
  ].join("\n\n")}\n`;
}

function screenSection(screen: Method): string {
  const rules = (screen.formula ?? []).map((rule) => `- ${cell(rule)}`).join("\n");
  return [`### ${screen.id}`, rules, ...optionTable(screen)].join("\n\n");
}

function training(): string {
  return [
    "A training takes one by name, or a plan of several in a file of JSON or YAML:",
    "",
    "```sh",
    "limbeck train --reward trace",
    "limbeck train --reward format --reward-set everyStep=true",
    "limbeck train --rewards rewards.yaml",
    "```",
    "",
    "```yaml",
    "rewards:",
    "  - { use: outcome, weight: 1 }",
    "  - { use: efficiency, as: short, weight: 0.2, options: { repetition: 0.2 } }",
    "screens:",
    "  length-exploit: { severity: stop }",
    "  judge-tampering: false",
    "```",
    "",
    "With weights their sum is trained on, stored as `components`; without, `reward` or `stepReward` names the one, and one alone is it. `as` is a name of your own. `limbeck train --schema` prints the whole form, and `reward` of a `--config` file or of `train()` takes the same. `limbeck arena` has the same options, and `--vary reward=outcome,trace`.",
    "",
    planKeys(),
    "",
    "A training gives rewards the world's verdict (`verify`), the chat model of the environment (`judge`: LIMBECK_CHAT_BASE_URL and LIMBECK_CHAT_MODEL), the tool calls of the world's demonstrator (`gold`) and what is known to be the least of each task (`references`), which tightens from update to update. What else a reward needs comes from code, as `givens` of the plan. A reward that lacks something, or that cannot score what the world's demonstrator does, is refused before the first evaluation. The mean of every part is in the update's metrics, as `reward/NAME` and `reward/NAME.PART`, of steps as `reward/NAME/steps`; what was not scored as `/unscored`. Judgements are stored with the episodes, where `limbeck show` and the studio show them by part. A run that is resumed must have the rewards it was started with.",
  ].join("\n");
}

function planKeys(): string {
  return [
    "A plan can say more of each reward:",
    "",
    "```yaml",
    "rewards:",
    "  - { use: format, weight: { 1: 1, 40: 0.2 }, screens: { repetition-exploit: {} } }  # form first",
    "  - { use: outcome, weight: { 20: 0, 40: 1 }, when: format, normalise: group }        # then values",
    "  - { use: step-rewards, as: steps, weight: 0.5, level: segment, segment: { every: 4 } }",
    "unscored: rescale",
    "```",
    "",
    table(
      ["key", "takes", "meaning"],
      [
        [
          "`weight`",
          "a number, or numbers by update",
          "Its weight in the sum. Between the updates that are named it goes in straight lines; before the first and after the last it stays. Evaluations and rollouts take the last. What weighs 0 now need not have a score.",
        ],
        [
          "`when`",
          "a name, or `{ reward, least, most }`",
          "A gate: it counts only where that earlier reward is at least 1, or between the bounds; else it counts 0. `reward` and `success` are the episode's own. A gate without a score leaves it unscored.",
        ],
        [
          "`level`",
          "`episode`, `segment`, `turn` or `step`",
          "What of its judgements counts. Finer than the episode, it needs a reward that judges steps, and goes into the reward of steps (`step-components`). A turn goes from one message of a user to the next; without messages every step is one. Default: `episode`.",
        ],
        [
          "`segment`",
          "`{ every: 4 }` or `{ at: NAME }`",
          "Where segments end: after so many steps, or after a step that the named reward pays. The sum of a segment or turn stands on its last step. Default: where the world itself pays.",
        ],
        [
          "`normalise`",
          "`group`, `batch` or `range`",
          "Less the mean, over the deviation, of its group or batch; or from 0 to 1 over the batch. After the gate. Where all are equal each counts 0.",
        ],
        [
          "`screens`",
          "options by screen",
          "Screens that look at this reward alone, beside those that look at what is trained on.",
        ],
        [
          "`seconds`",
          "a number above 0",
          "How long one call of a judge, a verifier or a scorer may take. Late is failed, which is unscored. Default: 300.",
        ],
        [
          "`unscored` of the plan",
          "`unscored`, `leave-out` or `rescale`",
          "What a reward without a score does to the sums. Default: `unscored`: an episode that one of them could not score teaches nothing.",
        ],
      ],
    ),
    "",
    "What counts after level, gate and normalisation is stored beside the judgement itself as `NAME.counted`; a weight that changes is in the metrics as `reward/NAME/weight`. A judge, verifier or scorer that fails, hangs, answers nonsense or NaN leaves the episode unscored, is counted (`reward/NAME/unscored`), and the training goes on.",
  ].join("\n");
}

function usage(): string {
  return [
    "```ts",
    'import { rewardTrajectories, screenRewards, stopOnFindings, summariseUpdate } from "limbeck/reward";',
    "",
    "const { trajectories, metrics } = await rewardTrajectories(",
    "  played,",
    "  {",
    "    rewards: [",
    '      { use: "outcome" },',
    '      { use: "rubric-judge", as: "judge", options: { samples: 3 } },',
    '      { use: "components", as: "total", options: { weights: { outcome: 1, judge: 0.3 }, unscored: "rescale" } },',
    "    ],",
    '    reward: "total",',
    "  },",
    "  { judge: (prompt) => askYourModel(prompt) },",
    ");",
    "history.push(summariseUpdate(update, trajectories));",
    'stopOnFindings(screenRewards({ trajectories, history }, { "judge-tampering": { severity: "stop" } }));',
    "```",
    "",
    "Rewards of a plan run in order and see what those before them gave, by name; `reward` and `success` are the trajectory's own. `reward` of the plan names the one that is trained on, `stepReward` the one of steps.",
  ].join("\n");
}
