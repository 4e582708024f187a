/** The steps of an episode, one below the other; only those in sight are drawn and fetched. */
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useClient } from "../../client/use-answer.ts";
import type { ColourScale } from "../../colour/token-colour.ts";
import { VirtualList } from "../../list/virtual-list.tsx";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SkillNote } from "./skill-note.tsx";
import { StepRow } from "./step-row.tsx";
import { useSteps } from "./use-steps.ts";

export interface ConversationProps {
  readonly detail: TrajectoryDetail;
  readonly scale: ColourScale;
  readonly held: number | undefined;
}

export function Conversation({ detail, scale, held }: ConversationProps): JSX.Element {
  const steps = useSteps(detail, scale.measure === "entropy");
  const wishes = useRef(0);
  const target = useMemo(() => {
    wishes.current += 1;
    return held === undefined ? undefined : { row: held, at: wishes.current };
  }, [held]);
  const skills = detail.skills.filter(({ step }) => step === null);
  return (
    <section class="conversation" aria-label="Steps">
      {skills.map((skill) => (
        <SkillNote key={`${skill.id} ${skill.update}`} skill={skill} run={detail.run} />
      ))}
      {steps.failure !== undefined && <Problem failure={steps.failure} />}
      {scale.measure === "advantage" && !detail.hasCredit && (
        <p class="note">
          No advantages are stored for this episode: it was not trained on, or its update was too large to keep the
          credit of every group. The page of the run names groups that have theirs.
        </p>
      )}
      {scale.measure === "teacher" && detail.flatCredit && detail.hasCredit && (
        <p class="soft small">
          Every word of a step has the same advantage here. What the training told words apart by is the teacher: its
          shift, the log-probability with the skill in sight minus that of the policy.
        </p>
      )}
      {scale.measure === "entropy" && steps.entropyFrom !== undefined && (
        <p class="soft small">
          Entropies are those of the model beside the run now
          {steps.entropyFrom === null ? "" : `, after update ${steps.entropyFrom}`}; the one that spoke may have been an
          earlier one.
        </p>
      )}
      <VirtualList
        count={detail.outline.length}
        estimate={150}
        label="Steps of the episode"
        target={target}
        onRows={steps.want}
        row={(at) => {
          const outline = detail.outline[at];
          if (outline === undefined) return null;
          return (
            <StepRow
              detail={detail}
              outline={outline}
              step={steps.at(at)}
              scale={scale}
              entropy={steps.entropyAt(outline.index)}
              held={at === held}
            />
          );
        }}
      />
      <Closing detail={detail} />
    </section>
  );
}

function Closing({ detail }: { readonly detail: TrajectoryDetail }): JSX.Element {
  const client = useClient();
  const whole = async (): Promise<string> => {
    const { text } = await client.call("text", { of: detail.run, query: { id: detail.id, field: "closing" } });
    return text;
  };
  return (
    <div class="closing">
      <p class="row">
        <OutcomeBadge outcome={detail.outcome} reward={detail.reward} /> <span class="soft">{detail.ending}</span>
      </p>
      {detail.closing !== null && (
        <div class="seen">
          <InertText text={detail.closing} whole={whole} />
        </div>
      )}
      {detail.failure !== null && (
        <p class="note bad">
          <Visible text={detail.failure.message} /> <code class="soft">{detail.failure.code}</code>
        </p>
      )}
    </div>
  );
}
