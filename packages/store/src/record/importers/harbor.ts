/**
 * Harbor: a folder of trials, each with the agent's ATIF trajectory and, in `result.json` beside it, what the verifier gave. Read from
 * Harbor's documentation and from programs that read its results (2026); the trajectory itself is read as `atif`.
 */
import { dirname, join } from "node:path";
import { parseObject, type JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { withOutcome } from "limbeck-base/trajectory/outcome";
import { plainText } from "limbeck-base/base/plain-file";
import { readDocument } from "../../store/formats/atif.ts";
import { openCalls } from "./draft.ts";
import { sessionSource, type Session } from "./session-source.ts";
import { numberField, objectField, restOf, textField } from "./fields.ts";

const FORMAT = "harbor";

export const harbor = sessionSource({
  id: FORMAT,
  title: "Harbor",
  versions: "ATIF 1.0 to 1.7 in the folders of Harbor jobs, from public descriptions (2026); not tried with a job",
  reads:
    "trajectories as atif reads them, with the verifier's rewards, the task, what went wrong, tokens and cost of the trial",
  leaves: "logs of the verifier and files that the trial made; a trial without a trajectory",
  files: /(?:^|\/)agent\/trajectory[^/]*\.json$/,
  // A trajectory alone is ATIF; the folder around it cannot be seen from its beginning.
  sign: /(?!)/,
  gather: async (trajectory, file) => {
    // A trial without a result is read without one.
    const text = await plainText(join(dirname(dirname(file)), "result.json")).catch(() => "");
    return { trajectory, result: parseObject(text) ?? null, file };
  },
  open: () => ({ add: (value) => [trialOf(value)], end: () => [] }),
});

function trialOf(value: JsonObject): Session {
  const result = objectField(value["result"]) ?? {};
  const place = { file: textField(value["file"]) ?? "", line: 1 };
  const [first, ...agents] = readDocument(value["trajectory"], place);
  if (first === undefined) throw new TypeError("a trial has a trajectory");
  const root = { ...first, id: textField(result["trial_name"]) ?? textField(result["id"]) ?? first.id };
  const session: Session = {
    id: root.id,
    empty: false,
    finish: () => [withResult({ ...root, id: session.id }, result), ...agents.map(withSession)],
  };
  return session;
}

function withSession(trajectory: Trajectory): Trajectory {
  const open = openCalls(trajectory.steps, trajectory.closing?.messages ?? []);
  const session = { format: FORMAT, ...(open.length === 0 ? {} : { unanswered: open }) };
  return { ...trajectory, info: { ...trajectory.info, session } };
}

function withResult(trajectory: Trajectory, result: JsonObject): Trajectory {
  const given = objectField(objectField(result["verifier_result"])?.["rewards"]) ?? {};
  const rewards = Object.entries(given).flatMap(([name, value]): Reward[] => {
    const score = numberField(value);
    return score === undefined || name === "" ? [] : [{ name, source: "verifier", score: scored(score) }];
  });
  const main = numberField(given["reward"]);
  const outcome: Reward[] =
    main === undefined
      ? []
      : [
          { name: "score", source: "verifier", score: scored(main) },
          { name: "success", source: "verifier", score: scored(main >= 1 ? 1 : 0) },
        ];
  const wrong = objectField(result["exception_info"]);
  const failure =
    wrong === undefined
      ? undefined
      : {
          code: textField(wrong["exception_type"]) ?? "exception",
          message: textField(wrong["exception_message"]) ?? "",
        };
  const task = textField(result["task_name"]);
  const cost = numberField(objectField(result["agent_result"])?.["cost_usd"]);
  const rest = restOf(result, "verifier_result") ?? {};
  const own = withSession(trajectory);
  return withOutcome({
    ...own,
    ...(task === undefined
      ? {}
      : { task: { ...own.task, id: `harbor-${task}`, env: FORMAT }, group: `harbor-${task}` }),
    ...(failure === undefined ? {} : { ending: "failed" as const, failure }),
    rewards: [...own.rewards, ...rewards, ...outcome],
    ...(cost === undefined || own.usage?.costUsd !== undefined ? {} : { usage: { ...own.usage, costUsd: cost } }),
    info: { ...own.info, ...(Object.keys(rest).length === 0 ? {} : { [FORMAT]: rest }) },
  });
}
