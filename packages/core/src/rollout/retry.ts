/** R3L: a failed episode is looked back at and begun again at its pivot, with what was learnt in context. */
import { option } from "limbeck-base/base/option";
import { scoreValue } from "limbeck-base/trajectory/score";
import { ask, hasFailed, isOwnStep, range } from "./ask.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

export interface Tried {
  readonly reward: number;
  readonly steps: number;
}

/** 1 when the reflection and the guided retry are worth imitating: a full success that beats the attempt, else 0. */
export function retryWorth(attempt: Tried, retry: Tried, fullSuccess: number): 0 | 1 {
  const better = retry.reward > attempt.reward || retry.steps < attempt.steps;
  return retry.reward >= fullSuccess && better ? 1 : 0;
}

export const retry = defineStrategy({
  info: {
    title: "Retry (R3L)",
    paper: "R3L: Reflect-then-Retry Reinforcement Learning, with pivotal credit and positive amplification",
    confidence: "code",
    source: "shiweijiezero/R3L @ d503f6c6; trinity/common/workflows/envs/R3L/alfworld/R3L_workflow.py",
    formula: [
      "size / (1 + tries) rollouts are first attempts; of each that failed the reflector names a step p and says what to do differently",
      "retry = branch at step p with that text in the message of step p; the steps before p are shared and stored once",
      "worth = 1 when retry reward >= fullSuccess and (reward improved or fewer steps), else 0, kept in info.retry",
    ],
    meaning: "Looks back at failed episodes and begins each again where it went wrong, knowing better.",
    departures: [
      "Whether an attempt failed is the world's verdict; in published code the reflector decides, which also retries successes it calls inefficient and leaves failures it calls a success.",
      "In ALFWorld published first attempts end with reward 0 at the first ill-formed or inadmissible action while retries go on, and either ends with 0 after the same action three times in a row; in a retry that rule, and the history shown, stop at its first such action. In ScienceWorld and WebShop retries end at an ill-formed answer too, and WebShop pays -0.1 for it and for the same action twice in a row. Here the world's rules hold for both.",
      "The guidance stands in the message of step p, and an agent whose prompt is rebuilt at each step reads it there only; published code gives it as a system message that stays for the whole retry (at step 0 in the first one, later before step p, whose observation then stands twice).",
      "The guidance is one short text; published code gives the whole reflection report with its summary, causes and principle, and asks that the answer does not mention it.",
      "Who reflects is the world's demonstrator unless a writer is given; in published code the policy itself reflects, at its own temperature.",
      "Of an odd size the attempts are rounded up; published code rounds down, so 7 gives 4 attempts and 3 retries here, 3 and 3 there.",
      "Option tries retries an attempt more than once; published code retries once.",
      "Only failed attempts are retried; option retry: all looks back at successes too.",
      "The guidance stays in the tokens of the retry, which are kept as they were read, and in the rows that get credit; published code gives credit to the same answers without the guidance before them. The step's basePrompt is the message without it.",
      "No step of that number, or no text: an ordinary rollout without a retry, as in the source. An answer that was never carried out, as one that was cut off, is no such step here; there any that was given is, an ill-formed one too.",
      "That nothing before the pivot is trained is the business of credit r3l.",
    ],
  },
  needs: ["fork", "reflector"],
  effect: {
    name: "retries",
    counts: "failed episodes begun again",
    remedy: "No episode failed, or the reflector had nothing to say.",
    count: (episodes) =>
      episodes.filter(({ parent, info }) => parent !== undefined && info?.["retry"] !== undefined).length,
  },
  options: {
    size: option.count(8, "rollouts per task, attempts and retries", 2),
    retry: option.choice("failed", ["failed", "all"], "which attempts are retried"),
    tries: option.count(1, "retries of one attempt"),
    fullSuccess: option.number(1, "reward from which an episode is a full success"),
  },
  create: (options) => ({
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (taskScope, task) => {
          const attempts = range(Math.ceil(options.size / (1 + options.tries)));
          const retries = options.size - attempts.length;
          await taskScope.each(
            attempts,
            async (own, member) => {
              const attempt = await own.open(task, member, { bookmarks: true });
              await attempt?.advance();
              const tries = Math.min(options.tries, retries - member * options.tries);
              if (attempt === undefined || tries < 1) return;
              const wanted = options.retry === "all" ? attempt.reward.kind === "scored" : hasFailed(attempt);
              if (wanted) await retryIt(own, attempt, tries, options.fullSuccess);
            },
            { walks: 1 + options.tries },
          );
        },
        { walks: options.size },
      );
    },
  }),
});

async function retryIt(scope: Scope, attempt: Walk, tries: number, fullSuccess: number): Promise<void> {
  const { reflector, signal } = scope;
  const reflection = reflector === undefined ? undefined : await ask(attempt, signal, reflector);
  if (reflection === undefined || reflection.guidance === "" || !isOwnStep(attempt, reflection.step)) {
    attempt.note({ retry: { pivot: null } });
    return;
  }
  const { step, guidance } = reflection;
  attempt.note({ retry: { pivot: step } });
  const retries: Walk[] = [];
  for (const number of range(tries)) {
    const again = await attempt.branchAt({ step, guidance }, tries === 1 ? "retry" : `retry-${number}`);
    if (again === undefined) break;
    retries.push(again);
  }
  await scope.together(retries, async (again) => {
    await again.advance();
    noteWorth(attempt, again, step, fullSuccess);
  });
}

function noteWorth(attempt: Walk, again: Walk, pivot: number, fullSuccess: number): void {
  const tried = [attempt, again].map(({ reward, depth }) => ({ reward: scoreValue(reward), steps: depth }));
  const [first, second] = tried;
  if (first?.reward === undefined || second?.reward === undefined) return;
  const worth = retryWorth({ ...first, reward: first.reward }, { ...second, reward: second.reward }, fullSuccess);
  again.note({ retry: { pivot, improved: second.reward > first.reward, worth } });
}
