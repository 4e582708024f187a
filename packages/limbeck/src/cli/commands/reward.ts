/** `limbeck reward`: scorers that are trained on what the store holds, and judges that are trained on planted faults. */
import { judgeReward, trainReward } from "../../run/reward.operation.ts";
import { commandGroup, commandOf } from "../command-of.ts";

export const reward = commandGroup(
  "reward",
  {
    train: commandOf(trainReward, async () => (await import("../rewards/show-reward.ts")).showTraining),
    judge: commandOf(judgeReward, async () => (await import("../rewards/show-reward.ts")).showJudging),
  },
  {
    group: "learn",
    summary: "Train a scorer of episodes on what the store holds, a reward of tokens, or judges on planted faults",
    usage:
      "train --run ID --model DIR --out DIR [--kind adapter|states|autoregressive] [--held-out ID] [--labels NAME] [--loss bce|mse|pairs] | judge --method NAME [--set NAME=VALUE] [--out DIR]",
    description:
      "The scorer is an adapter of the model with a head that learns to foretell how the episode will come out: after every token, whether it succeeds (--labels outcome). Other labels: the share of ways on that succeed, where a strategy left episodes in their middle (continuations; Math-Shepherd); whether a step brought the end nearer, by playing it again and asking the demonstrator of --env (replay); half the outcome, half what became of all episodes that had as far to go after as many steps, so with less luck in it (outlook, with --env too); or a stored reward of steps by its name. Losses: bce, mse, or pairs (Bradley and Terry) of successes and failures of one task. Episodes must hold tokens of this model: limbeck rollout --policy DIR --group 8.\n" +
      "With --kind states it is a head on the hidden states that the model itself speaks from, and the model stays as it is: weaker, but sampling has computed them already, so that a strategy of limbeck rollout asks it at next to no cost.\n" +
      "It is judged on tasks that it has not seen: those of --held-out, or a fifth of the tasks. The card beside its weights (scorer.json, SCORER.md, calibration.svg) says how well it orders episodes at their end and, compared after as many steps, on the way (AUC), how far its chances are from what happens (calibration error), and what the best of n by it succeeds in, against likelihood, length and chance, with intervals.\n" +
      "Use it in a plan of rewards, { use: process, scorer: DIR }, or with --scorer DIR of rollout, search, eval and train.\n" +
      "With --kind autoregressive the reward model is itself a language model (GenARM): from pairs of a success and a failure of one task it learns log-probabilities whose sum is the reward, so that every token has its share. rollout, search and eval draw from a policy times such a model with --guide DIR. It may be smaller than the model that played, with the same tokens; --rank 0 trains and writes the whole model.\n" +
      "judge trains judges and critics in this process on planted faults, and prints what they are worth on samples that they have not seen: multi-critique, path-judge, principle-rounds, rebuttal, stances (limbeck reward judge --method NAME --json). With --out DIR the judge is kept, with a card (judge.json, JUDGE.md): one of bookings serves wherever a scorer of steps does, { use: process, scorer: DIR } or --scorer DIR; openJudge of limbeck/training opens any.",
    examples: [
      "limbeck rollout --env household --env-set dial=tiny --policy bundled --group 8 --count 200 --run played",
      "limbeck reward train --run played --model household --out scorers/household",
      "limbeck reward train --run played --model household --out scorers/pairs --loss pairs --seconds 300",
      "limbeck reward train --run played --model household --out scorers/cheap --kind states",
      "limbeck reward train --run played --model household --out scorers/steps --labels replay --env household --env-set dial=tiny",
      "limbeck reward train --run played --model household --out guides/household --kind autoregressive --per-token",
      "limbeck reward judge --method multi-critique --json",
      "limbeck reward judge --method multi-critique --out judges/bookings",
    ],
  },
);
