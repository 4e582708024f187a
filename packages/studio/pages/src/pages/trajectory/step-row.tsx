/** One step: what the agent saw, what it said, what that was worth, and which skill spoke about it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { StepDetail, StepOutline, StepSkill, TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useClient } from "../../client/use-answer.ts";
import type { ColourScale } from "../../colour/token-colour.ts";
import { count, duration, plural, withSign } from "../../format/numbers.ts";
import { InertText, Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { Chat, ToolCalls } from "./chat.tsx";
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
          <span class="badge">reward {withSign(step.reward, 2)}</span>
        )}
        {outline.advantage !== null && (
          <span class="badge" title="Mean advantage of its words">
            advantage {withSign(outline.advantage, 2)}
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
        {outline.error && <span class="badge bad">a tool failed</span>}
        {step !== undefined && !brief && <Spent step={step} />}
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

function Spent({ step: { durationMs, usage } }: { readonly step: StepDetail }): JSX.Element | null {
  const { promptTokens, completionTokens, costUsd } = usage;
  const parts = [
    durationMs === null ? null : duration(durationMs / 1000),
    promptTokens === null ? null : `${plural(promptTokens, "token")} read`,
    completionTokens === null ? null : `${count(completionTokens)} sampled`,
    costUsd === null ? null : `$${costUsd.toFixed(4)}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : <span class="soft small">{parts.join(" · ")}</span>;
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
        {step.tokens !== null && step.tokens.ids.length > 0 ? (
          <TokenLine tokens={step.tokens} step={step.index} scale={scale} entropy={entropy} />
        ) : step.reply !== null && step.reply.toolCalls.length > 0 && !brief ? (
          // The action as text names the calls again.
          <>
            {step.reply.content.length > 0 && <InertText text={step.reply.content} first={first} />}
            <ToolCalls message={step.reply} />
          </>
        ) : (
          <InertText text={step.action} whole={whole("action")} first={first} />
        )}
      </div>
      {step.rewards.map(({ name, source, value, unscored, comment }) => (
        <p class="soft small" key={`${name} ${source}`}>
          <Visible
            text={`${name} (${source}): ${value === null ? (unscored ?? "no score") : withSign(value, 3)}${comment === null ? "" : `, ${comment}`}`}
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
