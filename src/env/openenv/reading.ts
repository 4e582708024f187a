/** From what a server answers to what an agent sees. Our own servers say everything; of others it is worked out. */
import { createHash } from "node:crypto";
import { canonicalJson, EngineError } from "../../base/index.ts";
import { scored, unscored, type Ending, type Json, type JsonObject, type Score } from "../../trajectory/index.ts";
import { cleaned } from "./text.ts";
import { OwnObservation, type ObservationData } from "./wire.ts";

export interface Reading {
  readonly text: string;
  readonly key: string;
  readonly valid: boolean;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
  readonly reward: Score;
  readonly admissible: readonly string[] | undefined;
  readonly tools: readonly JsonObject[] | undefined;
  readonly info: JsonObject | undefined;
  /** Whether the server can be asked what cannot be taken back. */
  readonly irreversible: boolean;
}

export interface ReadingOptions {
  /** The field the agent reads. Default: the only field if it is a text, else the observation as JSON. */
  readonly text?: string | undefined;
  /** The field that lists the admissible actions. */
  readonly admissible?: string | undefined;
}

/** Reads an answer; throws "server-nonsense" where one of our servers does not send what it announced. */
export function readObservation(data: ObservationData, own: boolean, options: ReadingOptions): Reading {
  return own ? readOwn(data) : readForeign(data, options);
}

function readOwn({ observation, reward, done }: ObservationData): Reading {
  const parsed = OwnObservation.safeParse(observation);
  if (!parsed.success || done !== (parsed.data.ending !== null)) {
    throw new EngineError("server-nonsense", "The server sent an observation without the fields it announced.");
  }
  const {
    text,
    valid,
    ending,
    success,
    admissible,
    state_key: key,
    unscored: why,
    tools,
    info,
    irreversible,
  } = parsed.data;
  return {
    text: cleaned(text),
    key,
    valid,
    ending: ending ?? undefined,
    success,
    reward: why === null ? scoreOf(reward) : unscored(cleaned(why, 500)),
    admissible: admissible ?? undefined,
    tools: tools ?? undefined,
    info: info ?? undefined,
    irreversible,
  };
}

function readForeign({ observation, reward, done }: ObservationData, options: ReadingOptions): Reading {
  const { success } = observation;
  return {
    text: cleaned(textOf(observation, options.text)),
    key: createHash("sha256").update(canonicalJson(observation)).digest("hex").slice(0, 32),
    valid: true,
    ending: done ? "terminated" : undefined,
    success: typeof success === "boolean" && done ? success : null,
    reward: scoreOf(reward),
    admissible: listOf(observation, options.admissible),
    tools: undefined,
    info: undefined,
    irreversible: false,
  };
}

/** No reward on a step means that the step earned nothing; a lost world says so otherwise. */
function scoreOf(reward: ObservationData["reward"]): Score {
  return scored(Number(reward ?? 0));
}

function textOf(observation: JsonObject, field: string | undefined): string {
  if (field !== undefined) {
    if (!Object.hasOwn(observation, field)) throw missingField(observation, field, "text");
    return asText(observation[field] ?? null);
  }
  const values = Object.values(observation);
  return values.length === 1 && typeof values[0] === "string" ? values[0] : JSON.stringify(observation);
}

function listOf(observation: JsonObject, field: string | undefined): readonly string[] | undefined {
  if (field === undefined) return undefined;
  const list = Object.hasOwn(observation, field) ? observation[field] : undefined;
  if (!Array.isArray(list)) throw missingField(observation, field, "admissible");
  return [...new Set(list.map(asText))];
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function missingField(observation: JsonObject, field: string, option: string): EngineError {
  const there = Object.keys(observation)
    .map((name) => cleaned(name, 40))
    .join(", ");
  return new EngineError(
    "bad-option",
    `The observation has no ${option === "text" ? "field" : "list"} "${field}" (option ${option}). It has: ${there}.`,
  );
}
