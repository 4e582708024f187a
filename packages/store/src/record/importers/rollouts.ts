/**
 * Rollouts that trainers write as JSON lines: verl's `rollout_data_dir` ({input, output, gts, score, step}) and the results of verifiers
 * ({prompt, completion, answer, reward}). Read from the public sources of verl and descriptions of verifiers (2026).
 */
import type { JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import { objectsOf } from "limbeck-recorder/lines";
import { contentHash } from "../../store/formats/identity.ts";
import { anyMessage } from "./any-message.ts";
import { Draft } from "./draft.ts";
import { numberField, restOf, stemOf, textField } from "./fields.ts";
import { sessionSource } from "./session-source.ts";

const FORMAT = "rollouts";
/** What a verifier says of the answer, beside the reward that is trained on. */
const VERDICTS = ["success", "acc", "correct", "is_correct"] as const;

export const rollouts = sessionSource({
  id: FORMAT,
  title: "verl and verifiers",
  versions:
    "rollout dumps of verl from its public source, results of verifiers from descriptions (2026); not tried with a file of either",
  reads:
    "prompts with all their answers as one group, rewards, what a verifier said where it is said, other columns as they are",
  leaves: "token ids and log-probabilities, which these files have not",
  files: /\.jsonl$/,
  sign: /"output"\s*:.*"score"\s*:.*"step"\s*:|"completion"\s*:.*"reward"\s*:|"reward"\s*:.*"completion"\s*:/s,
  open: (file) => {
    let row = 0;
    return { add: (value) => [readRow(value, `${stemOf(file)}-${(row += 1)}`)], end: () => [] };
  },
});

function readRow(value: JsonObject, id: string): Draft {
  const [asked, answered] = [value["prompt"] ?? value["input"], value["completion"] ?? value["output"]];
  if (asked === undefined || answered === undefined)
    throw new TypeError('a rollout has "input" and "output", or "prompt" and "completion"');
  const draft = new Draft(FORMAT, id, FORMAT);
  const goal = typeof asked === "string" ? asked : textField(objectsOf(asked).at(-1)?.["content"]);
  draft.facts.task = { id: `${FORMAT}-${contentHash(asked)}`, env: FORMAT, goal: (goal ?? "rollout").slice(0, 4_000) };
  draft.kept = restOf(value, "prompt", "input", "completion", "output") ?? {};
  for (const [given, role, isPrompt] of [
    [asked, "user", true],
    [answered, "assistant", false],
  ] as const) {
    for (const raw of typeof given === "string" ? [{ role, content: given }] : objectsOf(given)) {
      const message = anyMessage(raw, FORMAT);
      if (message === undefined) throw new TypeError("a message has a role: system, user, assistant or tool");
      draft.say({ message, ...(isPrompt && message.role === "assistant" ? { given: true } : {}) });
    }
  }
  const reward = numberField(value["reward"] ?? value["score"]);
  if (reward !== undefined) draft.rewards.push({ name: "score", source: FORMAT, score: scored(reward) });
  const verdict = VERDICTS.map((name) => value[name]).find(
    (said) => said === true || said === false || said === 0 || said === 1,
  );
  if (verdict !== undefined) draft.rewards.push({ name: "success", source: FORMAT, score: scored(Number(verdict)) });
  return draft;
}
