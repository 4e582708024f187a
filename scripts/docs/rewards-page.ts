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
    "A training gives rewards the world's verdict (`verify`), the chat model of the environment (`judge`: LIMBECK_CHAT_BASE_URL and LIMBECK_CHAT_MODEL), the tool calls of the world's demonstrator (`gold`) and what is known to be the least of each task (`references`), which tightens from update to update. What else a reward needs comes from code, as `givens` of the plan. A reward that lacks something, or that cannot score what the world's demonstrator does, is refused before the first evaluation. The mean of every part is in the update's metrics, as `reward/NAME` and `reward/NAME.PART`, of steps as `reward/NAME/steps`; what was not scored as `/unscored`. Judgements are stored with the episodes, where `limbeck show` and the studio show them by part. A run that is resumed must have the rewards it was started with.",
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
