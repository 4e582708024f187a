/** Small phrases about trajectories. Texts come out clean. */
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, Reward, Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Branch } from "limbeck-store/store/find-trajectory";
import type { Outcome } from "limbeck-base/trajectory/outcome";
import { cleanLine } from "limbeck-base/base/clean-text";
import type { Style } from "../look/style.ts";
import { formatNumber, plural } from "limbeck-base/base/units";

export function scoreWords(score: Score): string {
  return score.kind === "scored" ? formatNumber(score.value) : `unscored (${cleanLine(score.why)})`;
}

/** How it went, in one line: whether it succeeded, and its reward. Why there is none matters only where nothing else is known. */
export function outcomeWords({ success, reward }: Outcome): string {
  const verdict = success === null ? "outcome unknown" : success ? "success" : "no success";
  if (reward.kind === "scored") return `${verdict} · reward ${scoreWords(reward)}`;
  return success === null && reward.why !== "" ? `${verdict}: ${cleanLine(reward.why)}` : verdict;
}

export function outcomeMark(success: boolean | null, style: Style): string {
  return success === null ? style.yellow("?") : success ? style.green("✓") : style.red("✗");
}

export function policyWords(trajectory: Trajectory): string {
  const { name, version, model } = trajectory.policy;
  const parts = [cleanLine(name)];
  if (model !== undefined && model !== name) parts.push(cleanLine(model));
  if (version !== undefined) parts.push(`version ${version}`);
  return parts.join(" · ");
}

export function branchWords(branch: Branch): string {
  const at = branch.token === null ? "" : ` inside the response, after ${plural(branch.token, "token")}`;
  const { success } = branch;
  const outcome = outcomeWords({ success, reward: branch.reward === null ? unscored("") : scored(branch.reward) });
  return `${cleanLine(branch.id)}${at} (${plural(branch.steps, "step")}, ${outcome})`;
}

export function rewardWords(reward: Reward): string {
  const tokens = reward.tokens === undefined ? "" : ` for tokens ${reward.tokens.start} to ${reward.tokens.end}`;
  const comment = reward.comment === undefined ? "" : ` “${cleanLine(reward.comment)}”`;
  return `${cleanLine(reward.name)} ${scoreWords(reward.score)}${tokens}, from ${cleanLine(reward.source)}${comment}`;
}

/** The text of a message; parts that are not text are named by their type. */
export function messageText(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map(partText).join("\n");
}

function partText(part: JsonObject): string {
  if (typeof part["text"] === "string") return part["text"];
  return `[${typeof part["type"] === "string" ? part["type"] : "part"}] ${JSON.stringify(part)}`;
}
