/** Who is asked during a rollout where no second model is given: the world's demonstrator, and the policy as its own peer. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { parseObject } from "limbeck-base/base/json";
import { createRng } from "limbeck-base/base/rng";
import type { Env } from "../env/env.ts";
import { advice, type Demonstrator, type Seen } from "../env/expert.ts";
import { group } from "../rollout/group.ts";
import type { Agent } from "../walk/mind/agent.ts";
import {
  scorerJudge,
  type Corrector,
  type Finished,
  type Judge,
  type OutcomeScorer,
  type Reflection,
  type Reflector,
} from "../walk/judge.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";
import type { StrategyNeed } from "../rollout/strategy.ts";
import { stepAdvice } from "../skill/statistics/wording.ts";
import { sectionTemplates } from "../skill/templates.ts";
import type { Writer } from "../skill/skill.ts";
import type { Json, Step } from "limbeck-base/trajectory/trajectory";

export interface AssistantsRequest {
  readonly env: Env;
  readonly demonstrator: Demonstrator | undefined;
  readonly agent: Agent;
  readonly needs: readonly StrategyNeed[];
  readonly seed: string;
  /** Writes reflections and, without a demonstrator, corrections. Default: the demonstrator alone. */
  readonly writer?: Writer | undefined;
  /** Scores steps and states in the place of rules. Default: none. */
  readonly outcomeScorer?: OutcomeScorer | undefined;
  /** Episodes of a task that the pool holds. */
  readonly peers: number;
  readonly episode: RollOutOptions["episode"];
}

type Assistants = Pick<RollOutOptions, "judge" | "reflector" | "corrector" | "pool" | "outcomeScorer">;

/** Those that the strategy asks for; a demonstrator's advice costs nothing unless it is asked, so it is always there. */
export function assistantsOf(request: AssistantsRequest): Assistants {
  const { demonstrator, needs, seed, writer, outcomeScorer } = request;
  const missing = needs.filter((need) => need === "reflector" || need === "corrector");
  if (demonstrator === undefined && writer === undefined && missing.length > 0) {
    throw new EngineError(
      "needs-unmet",
      `The strategy needs a ${missing.join(" and a ")}, and the world "${request.env.id}" has no demonstrator to be one. Choose another world or another --strategy, or let a text model write (--ask).`,
      { details: { missing, world: request.env.id } },
    );
  }
  return {
    ...lookingBack(demonstrator, writer, seed),
    ...(outcomeScorer !== undefined
      ? { judge: scorerJudge(outcomeScorer), outcomeScorer }
      : needs.includes("judge")
        ? { judge: progressJudge }
        : {}),
    ...(needs.includes("pool") ? { pool: peerPool(request) } : {}),
  };
}

function lookingBack(
  demonstrator: Demonstrator | undefined,
  writer: Writer | undefined,
  seed: string,
): Pick<Assistants, "reflector" | "corrector"> {
  const shown = demonstrator === undefined ? undefined : demonstratingReflector(demonstrator, seed);
  const corrector = demonstrator === undefined ? undefined : demonstratingCorrector(demonstrator, seed);
  if (writer === undefined) return withoutUndefined({ reflector: shown, corrector });
  return { reflector: writtenReflector(writer, shown), corrector: corrector ?? writtenCorrector(writer) };
}

/** What the demonstrator would have done at the step, after the same past. */
function demonstratingCorrector(demonstrator: Demonstrator, seed: string): Corrector {
  return async (finished, step) => {
    const action = await advised(demonstrator, finished, step, seed);
    return action === undefined ? undefined : { action };
  };
}

/** Goes back to the first step that broke a rule, where the world says so: what was wrong is then better known than what is right. */
function brokenRule({ steps }: Finished): Reflection | undefined {
  for (const { index, info } of steps) {
    const rules = info?.["brokenRules"];
    const [rule] = Array.isArray(rules) ? (rules as readonly Json[]) : [];
    if (typeof rule === "string") {
      return { step: index, guidance: sectionTemplates.compact.step(`Not again: ${rule}`) };
    }
  }
  return undefined;
}

/** Goes back to the first step that led nowhere, or else where the demonstrator first parts ways, and says what to do. */
function demonstratingReflector(demonstrator: Demonstrator, seed: string): Reflector {
  return async (finished) => {
    const { steps } = finished;
    const broken = brokenRule(finished);
    if (broken !== undefined) return broken;
    const met = new Set<string>();
    const wasted = steps.findIndex(({ valid, stateKey }, at) => {
      const next = steps[at + 1]?.stateKey;
      met.add(stateKey);
      return !valid || (next !== undefined && met.has(next));
    });
    for (let step = Math.max(0, wasted); step < steps.length; step += 1) {
      const action = await advised(demonstrator, finished, step, seed);
      if (wasted < 0 && action === steps[step]?.action) continue;
      return action === undefined ? undefined : { step, guidance: sectionTemplates.compact.step(stepAdvice(action)) };
    }
    return undefined;
  };
}

/** Undefined where the demonstrator cannot go on from such a past. */
async function advised(
  demonstrator: Demonstrator,
  { task, steps, trajectory }: Finished,
  step: number,
  seed: string,
): Promise<string | undefined> {
  const observations = [...steps.map(({ observation }) => observation), trajectory.closing?.observation];
  const past = observations.slice(0, step + 1).flatMap((observation, at): Seen[] => {
    const action = steps[at - 1]?.action;
    return observation === undefined ? [] : [{ observation, action }];
  });
  if (past.length <= step) return undefined;
  try {
    return await advice(demonstrator, task, past, createRng(`${seed} advice`));
  } catch {
    // A demonstrator that cannot go on from here has no advice.
    return undefined;
  }
}

/** The world's own verdict, and a score for each step: 0 where it was refused or led back to a state met before, else 1. */
const progressJudge: Judge = async ({ steps }) => {
  const met = new Set<string>();
  const stepScores = steps.map(({ valid, stateKey }, at) => {
    met.add(stateKey);
    const next = steps[at + 1]?.stateKey;
    return valid && (next === undefined || !met.has(next)) ? 1 : 0;
  });
  return { stepScores };
};

/** Episodes that the same policy made with other seeds: what a second run on the same tasks would have. */
function peerPool({ env, agent, seed, peers, episode }: AssistantsRequest): NonNullable<Assistants["pool"]> {
  return async (task, { signal }) => {
    const { trajectories } = await rollOut({
      env,
      agent,
      strategy: group.create({ size: peers }),
      tasks: [task],
      seed: `${seed} peer`,
      prefix: "peer/",
      signal,
      ...(episode === undefined ? {} : { episode }),
    });
    return trajectories;
  };
}

export const LONGEST_SEEN = 600;
const LONGEST_SAID = 400;

/** The episode as lines: the goal, then what was seen and done. */
function recordOf({ task, steps, trajectory }: Finished): string[] {
  const cut = (text: string): string => (text.length <= LONGEST_SEEN ? text : `${text.slice(0, LONGEST_SEEN)}…`);
  const line = ({ index, observation, action }: Step): string =>
    `step ${index}: saw ${JSON.stringify(cut(observation))}, did ${JSON.stringify(cut(action))}`;
  return [`task: ${cut(task.goal)}`, ...steps.map(line), `in the end: ${cut(trajectory.closing?.observation ?? "")}`];
}

/** The same for a small writer: steps have names, and what was seen has lines of its own, which are longer and are cut first. */
function briefOf({ task, steps, trajectory }: Finished): string[] {
  const lines = steps.flatMap(({ index, observation, action, valid }) => [
    `saw: ${observation}`,
    `a${index}${valid ? "" : " (refused)"}: ${action}`,
  ]);
  return [`task: ${task.goal}`, ...lines, `in the end: ${trajectory.closing?.observation ?? ""}`];
}

/** One line of bounded length, or none. */
export function sentence(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" || line.length > LONGEST_SAID ? undefined : line;
}

function jsonIn(text: string): Record<string, unknown> | undefined {
  const found = /\{[\s\S]*\}/.exec(text)?.[0];
  return found === undefined ? undefined : parseObject(found);
}

/** Goes back to the step that the writer names, with what it says. */
function writtenReflector(writer: Writer, template: Reflector | undefined): Reflector {
  return async (finished, options) => {
    const indices = new Set(finished.steps.map(({ index }) => index));
    const { value, usage } = await writer.write<Reflection>(
      {
        kind: "reflection",
        wanted:
          'An agent failed at a task. Find the first step that was wrong and say in one short sentence what to do there instead. Answer with one JSON object and nothing else: {"step": 0, "guidance": "…"}.',
        material: recordOf(finished),
        brief: briefOf(finished),
        goal: finished.task.goal,
        read: (text) => {
          const { step, guidance } = jsonIn(text) ?? {};
          const said = sentence(guidance);
          if (typeof step !== "number" || !indices.has(step) || said === undefined) return undefined;
          return { step, guidance: sectionTemplates.compact.step(said) };
        },
        textsOf: ({ guidance }) => [guidance],
        template: () => template?.(finished, options),
      },
      options,
    );
    return value === undefined || usage === undefined ? value : { ...value, usage };
  };
}

/** Only without a demonstrator: what that does is known to be right. */
function writtenCorrector(writer: Writer): Corrector {
  return async (finished, step, options) => {
    const until = { ...finished, steps: finished.steps.filter(({ index }) => index <= step) };
    const { value } = await writer.write<string>(
      {
        kind: "correction",
        wanted: `Say what the agent should have done at step ${step}, as one action in the same words and form as its other actions. Answer with the action alone.`,
        material: recordOf(until),
        brief: briefOf(until),
        goal: finished.task.goal,
        read: (text) => sentence(text.trim().split("\n")[0]),
        textsOf: (action) => [action],
      },
      options,
    );
    return value === undefined ? undefined : { action: value };
  };
}
