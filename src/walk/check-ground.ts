/** A small world and a policy with known probabilities, both counting what is open: the ground strategies are checked on. */
import { createRng } from "../base/index.ts";
import { createCorridor } from "../env/corridor.ts";
import type { Env, Episode } from "../env/env.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import type { Conversation, Policy, Scorer } from "../policy/index.ts";
import { createTabularPolicy } from "../policy/tabular/tabular-policy.ts";
import type { Agent } from "./mind/agent.ts";
import { createTokenAgent } from "./mind/token-agent.ts";
import { ANSWER, createWordDialect, END } from "./mind/word-dialect.ts";

export interface Counts {
  /** Episodes and conversations that are open now. */
  episodes: number;
  conversations: number;
  /** What was really spent, counted where it is spent. */
  envSteps: number;
  sampledTokens: number;
  modelCalls: number;
}

export interface CheckGround {
  readonly env: Env;
  readonly agent: Agent;
  readonly counts: Counts;
}

export interface GroundOptions {
  /** Answers take a different number of turns each, so that walks overtake one another. */
  readonly jumbled?: boolean;
  /** Called after every step of the world. */
  readonly onStep?: (steps: number) => void;
  /** Every so many steps the world throws. */
  readonly failEvery?: number;
}

const WORDS = ["go", "east", "west", "Room", "1.", "2.", "3.", "4.", "A", "wall."] as const;

/** A corridor, and a policy that walks it east more often than west and sometimes talks nonsense. */
export function createCheckGround(options: GroundOptions = {}): CheckGround {
  const counts: Counts = { episodes: 0, conversations: 0, envSteps: 0, sampledTokens: 0, modelCalls: 0 };
  const dialect = createWordDialect(WORDS);
  const id = (word: (typeof WORDS)[number]): number => dialect.encode(word)[0] as number;
  const row = (chances: ReadonlyMap<number, number>): Float64Array =>
    Float64Array.from({ length: dialect.vocabularySize }, (_, token) => chances.get(token) ?? 0);
  const afterAnswer = row(new Map([[id("go"), 0.9], [id("wall."), 0.1]])); // prettier-ignore
  const afterGo = row(new Map([[id("east"), 0.65], [id("west"), 0.3], [id("go"), 0.05]])); // prettier-ignore
  const probabilities = Array.from({ length: dialect.vocabularySize }, (_, last) =>
    last === ANSWER ? afterAnswer : last === id("go") ? afterGo : row(new Map([[END, 1]])),
  );
  const turns = createRng("turns");
  const policy = createTabularPolicy({
    probabilities,
    ...(options.jumbled === true ? { delay: () => idle(turns.int(24)) } : {}),
  });
  const copy = countedPolicy(policy, counts, "explores");
  const counted = Object.assign(countedPolicy(policy, counts), { rough: () => Promise.resolve(copy) });
  const agent = createTokenAgent({ policy: counted, dialect, answerTokens: 4 });
  return { env: countedEnv(createCorridor(), counts, options), agent, counts };
}

async function idle(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
}

function countedEnv(env: Env, counts: Counts, { onStep, failEvery }: GroundOptions): Env {
  const counted = (inner: Episode): Episode => {
    counts.episodes += 1;
    let open = true;
    return wrapEpisode(inner, {
      step: async (action, stepOptions) => {
        counts.envSteps += 1;
        if (failEvery !== undefined && counts.envSteps % failEvery === 0) throw new Error("The floor gave way.");
        const result = await inner.step(action, stepOptions);
        onStep?.(counts.envSteps);
        return result;
      },
      fork: async () => counted(await inner.fork()),
      close: async () => {
        if (open) counts.episodes -= 1;
        open = false;
        await inner.close();
      },
    });
  };
  return wrapEnv(env, counted);
}

/** What a copy says that only explores is not stored, and so not counted as sampled. */
function countedPolicy(policy: Policy & Scorer, counts: Counts, role: "acts" | "explores" = "acts"): Policy & Scorer {
  const counted = (inner: Conversation): Conversation => {
    counts.conversations += 1;
    let open = true;
    return {
      get tokens() {
        return inner.tokens;
      },
      extend: (ids) => inner.extend(ids),
      sample: async (sampleOptions) => {
        counts.modelCalls += 1;
        const sampled = await inner.sample(sampleOptions);
        if (role === "acts") counts.sampledTokens += sampled.ids.length;
        return sampled;
      },
      fork: (label) => counted(inner.fork(label)),
      close: () => {
        if (open) counts.conversations -= 1;
        open = false;
        inner.close();
      },
    };
  };
  return {
    statistics: policy.statistics,
    score: (rows, scoreOptions) => policy.score(rows, scoreOptions),
    get ref() {
      return policy.ref;
    },
    open: (conversation) => counted(policy.open(conversation)),
    close: () => policy.close(),
  };
}
