/** What an episode was about and how it went, in a few lines. */
import type { JSX } from "preact";
import type { TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useClient } from "../../client/use-answer.ts";
import { collectedIn } from "../../format/collected.ts";
import { count, decimal, duration } from "../../format/numbers.ts";
import { tokensText } from "../../format/tokens.ts";
import { familyText } from "../../format/family.ts";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export function TrajectoryHead({ detail }: { readonly detail: TrajectoryDetail }): JSX.Element {
  const client = useClient();
  const whole = async (): Promise<string> => {
    const { text } = await client.call("text", { of: detail.run, query: { id: detail.id, field: "goal" } });
    return text;
  };
  return (
    <>
      <PageHead
        title={visibleLine(detail.goalText.text, 120) || detail.id}
        crumbs={[
          { label: "Runs", href: writePlace(["runs"]) },
          { label: detail.run, href: writePlace(["runs", detail.run]) },
          { label: "episodes", href: writePlace(["trajectories"], { run: detail.run }) },
        ]}
        badge={
          <>
            <OutcomeBadge outcome={detail.outcome} reward={detail.reward} />
            <span class="badge">{detail.ending}</span>
          </>
        }
        lead={
          <>
            {detail.goalText.length > 120 && (
              <span class="goal">
                <InertText text={detail.goalText} whole={whole} first={400} />
              </span>
            )}
            <code>{visibleLine(detail.id, 160)}</code>
          </>
        }
      >
        <a class="button" href={writePlace(["runs", detail.run, "tree", detail.group])}>
          Tree of its group
        </a>
        {detail.playable && (
          <a class="button" href={writePlace(["play"], { run: detail.run, trajectory: detail.id, step: "0" })}>
            Play on
          </a>
        )}
      </PageHead>
      <Facts detail={detail} />
    </>
  );
}

function rewardText({ reward, unscored, givenBy, playable }: TrajectoryDetail): string {
  if (reward === null) return unscored ?? "none";
  return `${decimal(reward, 3)} by ${givenBy.reward ?? (playable ? "the world" : "the recording")}`;
}

function Facts({ detail }: { readonly detail: TrajectoryDetail }): JSX.Element {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Family", detail.family === null ? null : familyText(detail.family)],
    // Splits are of worlds; an agent from elsewhere was in none.
    ["Environment", detail.playable ? `${detail.env}, ${detail.split}` : detail.env],
    ["Reward", rewardText(detail)],
    ["Verdict by", detail.givenBy.outcome],
    ["Steps", count(detail.steps)],
    ["Tokens", tokensText(detail)],
    ["Paid", detail.costUsd === null ? (detail.playable ? null : "unknown") : `$${detail.costUsd.toFixed(4)}`],
    ["Policy", `${detail.policy}${detail.policyVersion === null ? "" : ` v${detail.policyVersion}`}`],
    ["Collected", collectedIn(detail) ?? null],
    ["Time", detail.durationMs === null ? (detail.playable ? null : "unknown") : duration(detail.durationMs / 1000)],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <Visible text={visibleLine(value, 80)} />
              </dd>
            </div>
          ),
      )}
      {detail.rewards.map((reward, at) => (
        <div key={`${reward.name} ${reward.source} ${at}`}>
          <dt>{visibleLine(reward.name, 40)}</dt>
          <dd>
            {reward.value !== null && decimal(reward.value, 3)}
            {reward.value === null && reward.comment === null && visibleLine(reward.unscored ?? "none", 60)}
            {reward.comment !== null && <span class="inert"> “{visibleLine(reward.comment, 300)}”</span>}
            <span class="soft small"> by {visibleLine(reward.source, 60)}</span>
          </dd>
        </div>
      ))}
      {detail.parent !== null && (
        <div>
          <dt>Branched off</dt>
          <dd>
            <a
              href={writePlace(["runs", detail.run, "trajectory", detail.parent.trajectory], {
                step: String(detail.parent.step),
              })}
            >
              step {detail.parent.step} of its parent
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}
