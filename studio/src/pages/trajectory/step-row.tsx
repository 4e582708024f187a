/** One step: what the agent saw, what it said, what that was worth, and which skill spoke about it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChatMessage, StepDetail, StepOutline, StepSkill, TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useClient } from "../../client/use-answer.ts";
import type { ColourScale } from "../../colour/token-colour.ts";
import { duration, plural, signed } from "../../format/numbers.ts";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { SkillNote } from "./skill-note.tsx";
import { StateDecisions } from "./state-decisions.tsx";
import { TokenLine } from "./token-line.tsx";

export interface StepRowProps {
  readonly detail: TrajectoryDetail;
  readonly outline: StepOutline;
  /** Undefined while it is on its way. */
  readonly step: StepDetail | undefined;
  readonly scale: ColourScale;
  readonly entropy: readonly (number | null)[] | undefined;
  readonly held: boolean;
  /** Beside another trajectory there is no room for everything. */
  readonly brief?: boolean;
}

export function StepRow({ detail, outline, step, scale, entropy, held, brief = false }: StepRowProps): JSX.Element {
  const [decisions, setDecisions] = useState(false);
  const skills = detail.skills.filter((skill) => skill.step === outline.index);
  return (
    <article class={`step ${held ? "held" : ""}`} aria-label={`Step ${outline.index}`}>
      <div class="step-head">
        <b class="soft">step {outline.index}</b>
        {!outline.valid && <span class="badge bad">refused</span>}
        {step !== undefined && step.reward !== null && step.reward !== 0 && (
          <span class="badge">reward {signed(step.reward, 2)}</span>
        )}
        {outline.advantage !== null && (
          <span class="badge" title="Mean advantage of its words">
            advantage {signed(outline.advantage, 2)}
          </span>
        )}
        {outline.visits > 1 && !brief && (
          <button
            class="button small quiet"
            type="button"
            aria-expanded={decisions}
            onClick={() => setDecisions(!decisions)}
          >
            {plural(outline.visits, "episode")} stood here
          </button>
        )}
        {detail.playable && !brief && (
          <a
            class="button small quiet"
            href={writePlace(["play"], { run: detail.run, trajectory: detail.id, step: String(outline.index) })}
          >
            play from here
          </a>
        )}
        {step !== undefined && step.durationMs !== null && !brief && (
          <span class="soft small">{duration(step.durationMs / 1000)}</span>
        )}
      </div>
      {step === undefined ? (
        <p class="soft waiting">{visibleLine(outline.action, 120)}</p>
      ) : (
        <StepBody detail={detail} step={step} scale={scale} entropy={entropy} brief={brief} />
      )}
      {!brief && <Skills skills={skills} detail={detail} />}
      {decisions && <StateDecisions run={detail.run} id={detail.id} step={outline.index} />}
    </article>
  );
}

function Skills(props: { readonly skills: readonly StepSkill[]; readonly detail: TrajectoryDetail }): JSX.Element {
  return (
    <>
      {props.skills.map((skill) => (
        <SkillNote key={`${skill.id} ${skill.update}`} skill={skill} run={props.detail.run} />
      ))}
    </>
  );
}

type BodyProps = Pick<StepRowProps, "detail" | "scale" | "entropy"> & {
  readonly step: StepDetail;
  readonly brief: boolean;
};

function StepBody({ detail, step, scale, entropy, brief }: BodyProps): JSX.Element {
  const client = useClient();
  const whole = (field: "observation" | "action" | "prompt") => async (): Promise<string> => {
    const { text } = await client.call("text", { of: detail.run, query: { id: detail.id, field, step: step.index } });
    return text;
  };
  const first = brief ? 500 : 2_000;
  return (
    <>
      {step.messages.length > 0 && !brief ? (
        step.messages.map((message, at) => <Chat key={at} message={message} />)
      ) : (
        <div class="seen">
          <InertText text={step.observation} whole={whole("observation")} first={first} />
        </div>
      )}
      <div class="said">
        {step.reply !== null && step.reply.reasoning !== null && !brief && (
          <details>
            <summary>reasoning</summary>
            <InertText text={step.reply.reasoning} />
          </details>
        )}
        {step.tokens === null || step.tokens.ids.length === 0 ? (
          <InertText text={step.action} whole={whole("action")} first={first} />
        ) : (
          <TokenLine tokens={step.tokens} step={step.index} scale={scale} entropy={entropy} />
        )}
        {step.reply !== null && !brief && <ToolCalls message={step.reply} />}
      </div>
      {step.rewards.map(({ name, source, value, unscored, comment }) => (
        <p class="soft small" key={`${name} ${source}`}>
          <Visible
            text={`${name} (${source}): ${value === null ? (unscored ?? "no score") : signed(value, 3)}${comment === null ? "" : `, ${comment}`}`}
          />
        </p>
      ))}
      {step.prompt !== null && !brief && (
        <details class="prompt">
          <summary>the whole prompt</summary>
          <InertText text={step.prompt} whole={whole("prompt")} />
        </details>
      )}
    </>
  );
}

function Chat({ message }: { readonly message: ChatMessage }): JSX.Element {
  return (
    <div class={`chat ${message.role === "tool" ? "tool" : ""}`}>
      <span class="role">{visibleLine(message.role, 20)}</span>
      <InertText text={message.content} />
      <ToolCalls message={message} />
    </div>
  );
}

function ToolCalls({ message }: { readonly message: ChatMessage }): JSX.Element {
  return (
    <>
      {message.toolCalls.map((call) => (
        <div class="call" key={call.id}>
          <code>{visibleLine(call.name, 80)}</code> <InertText text={call.arguments} first={600} />
        </div>
      ))}
    </>
  );
}
