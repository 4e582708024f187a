/** docs/lookup/generated/rewards.md: every reward and every screen, from the registries. */
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { judgings } from "../../packages/training/src/training/judge/registry.ts";
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
    "A reward of your own: [write-a-reward.md](../../learn/write-a-reward.md).",
    ...rewards.map((reward) => entrySection(reward)),
    "## Screens",
    "Screens look at rewarded trajectories for signs that the reward is being gamed. Each finding has a message and its evidence. A finding is a warning unless the screen's `severity` is `stop`; `stopOnFindings` then ends the run. A screen that is quiet proves nothing: it knows a few tricks, not all.",
    table(
      ["screen", "what it notices"],
      screens.map(({ id, meaning }) => [`\`${id}\``, cell(meaning)]),
    ),
    ...screens.map(screenSection),
    lab(),
    scorers(),
    judges(),
  ].join("\n\n")}\n`;
}

function lab(): string {
  return [
    "## The hack lab",
    "",
    "`limbeck rewards audit [--rewards FILE]` runs a plan against thirty scripted ways to game rewards, each with an honest twin, and says which would pay: surely more than the twin on the same tasks, with no more successes. A judge is played by one that believes all it reads. `--strict` is a gate for continuous integration; `auditRewards` of `limbeck/eval` is the same in code.",
    "",
    "Measured on 2026-11-17: each hack with a reward of the kind it is after, added to the outcome with weight 1, three seeds of 8 tasks with 3 episodes of each side. 53 of 90 paid. Intervals are Wilson's, 95%.",
    "",
    table(
      ["screen", "notices of what pays", "speaks of twins alone, same reward"],
      [
        ["any", "49 of 53 (0.82 to 0.97)", "45 of 90 (0.40 to 0.60)"],
        ["`constant-scores`", "0 of 53 (0.00 to 0.07)", "31 of 90 (0.25 to 0.45)"],
        ["`judge-tampering`", "16 of 53 (0.20 to 0.44)", "0 of 90 (0.00 to 0.04)"],
        ["`length-exploit`", "44 of 53 (0.71 to 0.91)", "14 of 90 (0.09 to 0.24)"],
        ["`repetition-exploit`", "12 of 53 (0.13 to 0.36)", "0 of 90 (0.00 to 0.04)"],
        ["`unearned-reward`", "16 of 53 (0.20 to 0.44)", "0 of 90 (0.00 to 0.04)"],
      ],
    ),
    "",
    "What is said of twins alone is true of these rewards (a judge that gives all the same, pay for length) though nobody games them. With rewards that are sound (outcome, outcome and efficiency, trace) no hack paid and no screen spoke of the twins: 0 of 90 each (0.00 to 0.04). Of the same 53, 45 are noticed without `unearned-reward`. The screens and the lab were made by the same hand; [log.md](../../evidence/log.md) has what single sentences show, which is less.",
  ].join("\n");
}

function scorers(): string {
  return [
    "## Trained scorers",
    "",
    "`limbeck reward train --run ID --model DIR --out DIR` trains a scorer on what a run holds: a low-rank adapter of the model with a head that foretells how the episode comes out, some 160 kB beside a bundled model.",
    "It is asked before and after every token of the policy's own, so that it has an opinion in the middle of an episode and of an answer. The rate rises, falls to nothing by the end of the epochs or the time, and the best epoch by tasks kept apart is written. Losses: `bce`, `mse`, and `pairs` (Bradley and Terry).",
    "",
    "| `--labels` | what it foretells | where the labels come from |",
    "| --- | --- | --- |",
    "| `outcome` | whether the episode succeeds, at every token | the world's verdict |",
    "| `outlook` | half whether it succeeds, half what became of all episodes with as far to go after as many steps: the outcome with less luck in it | each episode is played again, and the demonstrator of `--env` says how far it is |",
    "| `continuations` | the share of ways on that succeed | episodes that a strategy left in their middle: `limbeck rollout --strategy counterfactual --set of=all --set at=random --set points=3` (Math-Shepherd) |",
    "| `replay` | whether a step brought the end nearer | the step is played again, and the demonstrator of `--env` says before and after it how many it still needs |",
    "| a name | a stored reward of steps | whoever stored it: a judge, a person, a program |",
    "",
    "| `--kind` | what it is | what it costs |",
    "| --- | --- | --- |",
    "| `adapter` | a low-rank adapter of the model, with a head | it reads every context anew: half as long as playing 64 half-finished errands (`npm run bench -- reward`) |",
    "| `states` | a head on the hidden states that the model itself speaks from; the model stays as it is | 0.002 of playing in `limbeck rollout`, where sampling has computed them: what it says is of the moment before the last token of the last answer. Elsewhere it reads as the other does |",
    "",
    "A head on states belongs to the very weights that it was trained on: a policy that learns moves away from it.",
    "",
    "Beside each bundled model but that of tools lies a scorer (`--scorer NAME`, the name of its world). Those of household, countdown and ledger are good on the way and at the end; those of shop, archive and talk learnt little ([results](../../evidence/results/scorers.md#third-round-trained-for-where-they-are-asked-five-seeds)). What `SCORER.md` beside the weights says is measured on tasks that it has not seen.",
    "",
    "Its card (`scorer.json`, `SCORER.md`, `calibration.svg`) has, on tasks it has not seen: AUC at the end, and on the way, where a good and a bad episode are compared after as many steps (a scorer that only knows that long ones fail gets 0.5); calibration error at the end and on the way; the best of n against likelihood (the mean, and the least likely word), length and chance, with intervals; and the same in the middle: which of the episodes of a task that still go on after half of the steps to finish. Where success ends an episode its length gives it away, so the middle is the fair comparison. `--balance N` learns from N failures for each success; chances are fitted to episodes as they were played. `--likelihood` also looks at how likely the model finds its own words (their mean and their least), with weights fitted on tasks kept apart; scoring then reads twice.",
    "",
    "```sh",
    "limbeck rollout --env countdown --env-set level=easy --policy bundled --group 8 --count 400 --run played",
    "limbeck reward train --run played --model countdown --out scorers/countdown --batch 16",
    "```",
    "",
    "```yaml",
    "rewards:",
    "  - { use: process, scorer: scorers/countdown, options: { blend: 0.5 } }",
    "```",
    "",
    "One contract (`OutcomeScorer` of `limbeck/search`) stands wherever a value is needed. `--scorer NAME|DIR` of `search`, `rollout` and `train`, or `scorer` of the functions:",
    "",
    "| where | what it does with it |",
    "| --- | --- |",
    "| reward `process` | rewards of steps (`scorer` in the plan) |",
    "| every search (`--scorer`, value `critic`) | what a state is worth, and with `--blind` which end is chosen: `best-of-n` |",
    "| `prune` | who is stopped, from the first group on |",
    "| `allocate` | what it says after the first step of the first rollouts counts as `prior` rollouts of the task |",
    "| credit by differences of values | `--credit mc-critic --set continuations.by=scorer`: a state is worth what it says before the step times what a success pays, and nothing is played |",
    "| screen `unforetold-reward` | what is paid well though it does not believe in it; asked where rewards are not the world's own |",
    "| `salvage`, `counterfactual` | which step went wrong (SCOPE, CSO): a step's score is c' / (c + c'), the chance after it against the chance before; half is no change. A scorer of steps (labels `replay`, or a stored reward) says it itself |",
    "",
    "A trained judge of steps (`limbeck reward judge --method multi-critique --out DIR`) stands where a scorer of steps does; `openJudge` of `limbeck/training` opens any that was kept.",
    "",
    "What a search reads with it is paid in tokens and is no model call. Beside the bundled models of household, countdown, research and ledger lies one (`--scorer household`, and so on; cards in `models/NAME/scorer`); [results](../../evidence/results/scorers.md) say what scorers were worth in four worlds.",
    "",
    "An episode without tokens of that model, and a branch, are unscored by it.",
  ].join("\n");
}

function judges(): string {
  return [
    "## Judges that are trained",
    "",
    "`limbeck reward judge --method NAME` trains a judge or critic in this process on planted faults, in seconds, and prints what it is worth on samples that were held out. [Results](../../evidence/results/judges.md) has five seeds of each.",
    "",
    table(
      ["method", "what is trained"],
      Object.entries(judgings).map(([id, { info }]) => [`\`${id}\``, cell(info.meaning)]),
    ),
    "",
    "With `--out DIR` the judge is kept: `judge.json` with all that it learnt, and `JUDGE.md` for people. One that reads bookings (`multi-critique`, `principle-rounds`, `stances`) judges steps of the ledger wherever a scorer of steps is named; the others are opened from code. A judge reads what the world says of an event and the first line of an action, and nothing else that stands there.",
    "",
    "```sh",
    "limbeck reward judge --method multi-critique --out judges/bookings",
    "limbeck train --env ledger --rewards rewards.yaml",
    "```",
    "",
    "```yaml",
    "rewards:",
    "  - { use: process, scorer: judges/bookings, options: { combine: min } }",
    "```",
  ].join("\n");
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
    "<!-- snippet given:",
    'import type { Trajectory } from "limbeck";',
    "declare const played: readonly Trajectory[];",
    "declare const askYourModel: (prompt: string) => Promise<string>;",
    "declare const history: ReturnType<typeof summariseUpdate>[];",
    "declare const update: number; -->",
    "",
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
