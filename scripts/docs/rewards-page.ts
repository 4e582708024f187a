/** docs/rewards.md: every reward and every screen, from the registries. */
import { defaultText } from "../../src/base/index.ts";
import { optionLines, type RewardMethod, type Screen } from "../../src/reward/index.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function rewardsPage(
  rewards: Readonly<Record<string, RewardMethod>>,
  screens: Readonly<Record<string, Screen>>,
): string {
  const methods = Object.values(rewards);
  return `${[
    GENERATED,
    "# Rewards",
    `${methods.length} rewards and ${Object.keys(screens).length} screens. A reward turns finished trajectories into named judgements of the trajectory, of its steps or of its tokens. What cannot be scored stays unscored, with its reason; a judge that failed is never a zero. \`limbeck explain NAME\` prints any of them.`,
    usage(),
    table(
      ["reward", "follows", "needs", "meaning", "paper"],
      methods.map(({ id, confidence, needs, summary, paper }) => [
        `[\`${id}\`](#${id})`,
        confidence,
        needs.map((need) => `\`${need}\``).join(", "),
        cell(summary),
        cell(paper),
      ]),
    ),
    "A reward of your own: [write-a-reward.md](write-a-reward.md).",
    ...methods.map(rewardSection),
    "## Screens",
    "Screens look at rewarded trajectories for signs that the reward is being gamed. Each finding has a message and its evidence. A finding is a warning unless the screen's `severity` is `stop`; `stopOnFindings` then ends the run. A screen that is quiet proves nothing: it knows a few tricks, not all.",
    table(
      ["screen", "what it notices"],
      Object.values(screens).map(({ id, summary }) => [`\`${id}\``, cell(summary)]),
    ),
    ...Object.values(screens).map(screenSection),
  ].join("\n\n")}\n`;
}

function usage(): string {
  return [
    "```ts",
    'import { rewardTrajectories, screenRewards, stopOnFindings, summariseUpdate } from "limbeck";',
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

function rewardSection(reward: RewardMethod): string {
  const { id, title, summary, paper, confidence, formula, needs, mayUse = {}, departures } = reward;
  const sometimes = Object.entries(mayUse).map(([name, what]) => `\`${name}\` (${cell(what)})`);
  const given = [
    ...(needs.length === 0 ? [] : [`Needs ${needs.map((need) => `\`${need}\``).join(", ")}.`]),
    ...(sometimes.length === 0 ? [] : [`May be given ${sometimes.join(", ")}.`]),
  ];
  return [
    `### ${id}`,
    `**${cell(title)}.** ${cell(summary)} ${cell(paper)}. Follows: ${confidence}. Code: \`src/reward/${id}.ts\`.`,
    ["```text", ...formula, "```"].join("\n"),
    ...(given.length === 0 ? [] : [given.join(" ")]),
    options(reward),
    ["Departures:", "", ...departures.map((departure) => `- ${cell(departure)}`)].join("\n"),
  ].join("\n\n");
}

function screenSection(screen: Screen): string {
  return [`### ${screen.id}`, screen.rule.map((rule) => `- ${cell(rule)}`).join("\n"), options(screen)].join("\n\n");
}

function options({ options: schema }: Pick<Screen, "options">): string {
  return table(
    ["option", "default", "takes", "meaning"],
    optionLines(schema).map((option) => [
      `\`${option.name}\``,
      cell(defaultText(option.default)),
      cell(option.allowed),
      cell(option.meaning),
    ]),
  );
}
