/** Emit: an order in words, and a schema; one reply of JSON, whose form and values are scored apart. */
import { scored, type Score, type Task } from "../../trajectory/index.ts";
import { drawnEnv } from "../drawn-tasks.ts";
import type { Env, Episode } from "../env.ts";
import { episodeOf } from "../episode-of.ts";
import { gradeReply, isWhole, worthOf } from "./grade.ts";
import { drawOrder, orderKey, schemaText, type OrderLevelId, type Order } from "./order.ts";

export interface EmitOptions {
  /** Seed of the orders. Default: 1. */
  readonly seed?: number;
  /** Fields that are asked for: 2, 3 or 5. Default: "small". */
  readonly level?: OrderLevelId;
}

export const EMIT_SUMMARY = "Write an order down as JSON of a given schema; form and values are scored apart.";

/**
 * Orders in words, to be written down as JSON.
 *
 * @example
 * const env = createEmit({ level: "small" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step(JSON.stringify(task.data?.["gold"]))).success); // true
 * }
 */
export function createEmit({ seed = 1, level = "small" }: EmitOptions = {}): Env {
  return drawnEnv({
    id: "emit",
    summary: EMIT_SUMMARY,
    maxSteps: 1,
    seed,
    dial: level,
    draw: drawOrder,
    key: orderKey,
    goal: describe,
    // For the reward `structure`, which compares with it.
    data: ({ gold }) => ({ gold }),
    open: openOrder,
  });
}

/** `readGoal` of the demonstrators takes it apart again. */
function describe({ message, asked }: Order): string {
  return `Order: ${message}\nSchema: ${schemaText(asked)}`;
}

const FORM = "Reply with the JSON object alone. What the order does not say is null.";

interface Outcome {
  readonly observation: string;
  readonly reward: Score;
  readonly success: boolean;
}

function openOrder(task: Task, order: Order): Episode {
  const opening = `${describe(order)}\n${FORM}`;
  return episodeOf<Outcome | undefined>(task, undefined, {
    observation: (outcome) => outcome?.observation ?? opening,
    stateKey: (outcome) => (outcome === undefined ? "order" : `judged: ${outcome.observation}`),
    ending: (outcome) => outcome && "terminated",
    reward: (outcome) => outcome?.reward ?? scored(0),
    success: (outcome) => outcome?.success ?? null,
    step: (_, reply) => {
      const grade = gradeReply(order, reply);
      const reward = scored(worthOf(grade));
      const { parse, fields, values } = grade;
      const observation =
        parse === 0 ? "That is not a JSON object." : `Fields ${fields.toFixed(2)}, values ${values.toFixed(2)}.`;
      return {
        state: { observation, reward, success: isWhole(grade) },
        valid: parse === 1,
        reward,
        info: { parts: { parse, fields, values } },
      };
    },
  });
}
