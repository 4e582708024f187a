/** Small phrases about trajectories. Texts come out clean. */
import type { JsonObject, Message, Reward, Score, Trajectory } from "../../trajectory/index.ts";
import { cleanLine } from "../look/clean-text.ts";
import type { Style } from "../look/style.ts";
import { formatNumber, plural } from "../look/units.ts";
import type { Branch } from "./find-trajectory.ts";

export function scoreWords(score: Score): string {
  return score.kind === "scored" ? formatNumber(score.value) : `unscored (${cleanLine(score.why)})`;
}

export function successWords(success: boolean | null, style: Style): string {
  if (success === null) return style.dim("? outcome unknown");
  return success ? style.green("✓ success") : style.red("✗ no success");
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
  const reward = branch.reward === null ? "unscored" : `reward ${formatNumber(branch.reward)}`;
  return `${cleanLine(branch.id)}${at} (${plural(branch.steps, "step")}, ${reward})`;
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
