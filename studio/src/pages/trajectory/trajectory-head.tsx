/** What an episode was about and how it went, in a few lines. */
import type { JSX } from "preact";
import type { TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useClient } from "../../client/use-answer.ts";
import { collectedIn } from "../../format/collected.ts";
import { count, decimal, duration } from "../../format/numbers.ts";
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
            <OutcomeBadge outcome={detail.outcome} />
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

function Facts({ detail }: { readonly detail: TrajectoryDetail }): JSX.Element {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Family", detail.family],
    ["Environment", `${detail.env}, ${detail.split}`],
    ["Reward", detail.reward === null ? (detail.unscored ?? "none") : decimal(detail.reward, 3)],
    ["Steps", count(detail.steps)],
    ["Tokens", count(detail.tokens)],
    ["Policy", `${detail.policy}${detail.policyVersion === null ? "" : ` v${detail.policyVersion}`}`],
    ["Collected", collectedIn(detail) ?? null],
    ["Time", detail.durationMs === null ? null : duration(detail.durationMs / 1000)],
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
      {detail.rewards.map((reward) => (
        <div key={`${reward.name} ${reward.source}`}>
          <dt>{visibleLine(reward.name, 40)}</dt>
          <dd title={reward.comment ?? undefined}>
            {reward.value === null ? visibleLine(reward.unscored ?? "none", 60) : decimal(reward.value, 3)}
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
