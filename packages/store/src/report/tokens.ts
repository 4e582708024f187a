/** The words of a group coloured by what they were credited with. */
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { CreditedGroup, CreditRow } from "./credit.ts";
import { clip, markup, type Html } from "./html.ts";
import { plural, shortNumber, withSign } from "./numbers.ts";
import type { TokenTexts } from "./token-texts.ts";

/** Of each outcome so many are shown at once; the rest are folded away. */
const OPEN = 1;
const EPISODES = 8;
const STEPS = 60;
const TOKENS = 400;
const LETTERS = 300;

export function tokensSection(groups: readonly CreditedGroup[], texts: TokenTexts | undefined): Html {
  if (groups.length === 0) {
    return markup`<p class="none">No credit was recorded: no update had a group with both successes and failures, or this run did not train.</p>`;
  }
  const names = groups.length === 1 ? ["One group"] : ["Early", "Late"];
  const unread =
    texts === undefined &&
    markup`<p class="none">The run has no tokenizer beside it, so tokens are shown by their ids.</p>`;
  return markup`${unread}${groups.map((group, at) => groupOf(group, names[at] ?? "", texts))}`;
}

/** What the colours say, once for all runs of the page; a choice only where there was a teacher. */
export function colourSwitch(groups: readonly CreditedGroup[]): Html | undefined {
  if (groups.length === 0) return undefined;
  const has = (name: "shift" | "divergence"): boolean =>
    groups.some(({ rows }) =>
      [...rows.values()].some((steps) => [...steps.values()].some((row) => row[name] !== undefined)),
    );
  const lead = markup`<p class="lead">Episodes of one task, played in the same update, and what each word the agent said was credited with. Touch a word for its numbers.</p>`;
  const scale = markup`<span class="scale"><span>less of this</span><span class="ramp" aria-hidden="true"></span><span>more of this</span></span>`;
  if (!has("shift")) return markup`${lead}<p class="switch">Coloured by advantage ${scale}</p>`;
  const choice = (value: string, label: string, first: boolean): Html =>
    markup`<label><input type="radio" name="colour" value="${value}"${first ? markup` checked` : undefined}> ${label}</label>`;
  const first = groups.every(({ apart }) => apart === "shift") ? "shift" : "advantage";
  const why =
    first === "shift" &&
    markup`<p class="lead">Every word of a step has the same advantage here. What the training told words apart by is the teacher: its shift, and the divergence between it and the agent.</p>`;
  const amount = has("divergence") && choice("divergence", "divergence (violet)", false);
  return markup`${lead}${why}<fieldset class="switch"><legend>Colour by</legend>${choice("advantage", "advantage", first === "advantage")}${choice("shift", "teacher shift", first === "shift")}${amount}${scale}</fieldset>`;
}

function groupOf(group: CreditedGroup, name: string, texts: TokenTexts | undefined): Html {
  const [first] = group.trajectories;
  if (first === undefined)
    return markup`<p class="none">${name}: the episodes of update ${group.update} are not in the store.</p>`;
  const solved = group.trajectories.filter(({ success }) => success === true);
  const others = group.trajectories.filter(({ success }) => success !== true);
  const open = [...solved.slice(0, OPEN), ...others.slice(0, OPEN)];
  const folded = group.trajectories.filter((one) => !open.includes(one));
  const shown = folded.slice(0, Math.max(0, EPISODES - open.length));
  const left = folded.length - shown.length;
  return markup`<h3>${name}: update ${group.update}</h3>
<p class="goal"><b>Task:</b> ${clip(first.task.goal, LETTERS)}</p>
<p class="lead">${solved.length} of ${group.trajectories.length} episodes succeeded. Full colour at ±${shortNumber(group.scale.advantage)} advantage, ±${shortNumber(group.scale.shift)} nats of shift${hasDivergence(group) ? ` and ${shortNumber(group.scale.divergence)} nats of divergence` : ""}; few words are beyond.</p>
<div class="sides">${open.map((one) => markup`<article class="episode">${headOf(one)}${linesOf(one, group, texts)}</article>`)}</div>
${shown.map((one) => markup`<details class="episode"><summary>${headOf(one)}</summary>${linesOf(one, group, texts)}</details>`)}${left > 0 ? markup`<p class="none">${plural(left, "more episode")} of this group not shown.</p>` : undefined}`;
}

function hasDivergence({ rows }: CreditedGroup): boolean {
  return [...rows.values()].some((steps) => [...steps.values()].some(({ divergence }) => divergence !== undefined));
}

export function headOf({ success, steps, ending }: Trajectory): Html {
  const [kind, word] = success === true ? ["good", "solved"] : success === false ? ["bad", "not solved"] : ["", ending];
  return markup`<span class="badge ${kind}">${word}</span> in ${plural(steps.length, "step")}`;
}

function linesOf(trajectory: Trajectory, group: CreditedGroup, texts: TokenTexts | undefined): Html {
  const rows = group.rows.get(trajectory.id);
  const lines = trajectory.steps
    .slice(0, STEPS)
    .map(
      (step) =>
        markup`<li value="${step.index}"><p class="seen">${clip(step.observation.trim(), LETTERS)}</p><p class="words">${wordsOf(trajectory, step, rows?.get(step.index), group.scale, texts)}</p></li>`,
    );
  const left = trajectory.steps.length - lines.length;
  return markup`<ol class="steps">${lines}</ol>${left > 0 ? markup`<p class="none">${plural(left, "more step")} not shown.</p>` : undefined}`;
}

function wordsOf(
  { streams }: Trajectory,
  { span, action }: Step,
  row: CreditRow | undefined,
  scale: CreditedGroup["scale"],
  texts: TokenTexts | undefined,
): Html {
  const stream = span === undefined ? undefined : streams[span.stream];
  if (span === undefined || stream === undefined || row === undefined) return markup`${clip(action, LETTERS)}`;
  const ids = [...stream.ids.subarray(span.start, span.end)];
  const read = texts?.(ids);
  const tokens = ids.slice(0, TOKENS).map((id, at) => {
    const [advantage, shift, divergence] = [row.advantages[at], row.shift?.[at], row.divergence?.[at]];
    const logprob = stream.logprobs?.[span.start + at];
    const facts = [
      advantage === undefined ? "" : `advantage ${withSign(advantage, 3)}`,
      shift === undefined ? "" : `teacher shift ${withSign(shift, 3)} (${row.teacher ?? "episode"} skill)`,
      divergence === undefined ? "" : `divergence from the teacher ${divergence.toFixed(3)} nats`,
      logprob === undefined ? "" : `probability ${shortNumber(Math.exp(logprob))}`,
      `token ${id}`,
    ].filter((fact) => fact !== "");
    const strength = (value: number | undefined, most: number): number =>
      Math.round(Math.min(1, Math.abs(value ?? 0) / most) * 100) / 100;
    const signs = `${(advantage ?? 0) < 0 ? "an" : "ap"} ${(shift ?? 0) < 0 ? "sn" : "sp"}`;
    const text = visible(read?.[at] ?? ` ${id}`);
    return markup`<i class="${signs}" style="--a:${strength(advantage, scale.advantage)};--s:${strength(shift, scale.shift)};--d:${strength(divergence, scale.divergence)}" title="${facts.join(" · ")}">${text}</i>`;
  });
  const left = ids.length - tokens.length;
  return markup`${tokens}${left > 0 ? markup` … (${plural(left, "token")} more)` : undefined}`;
}

/** A token that is only layout, or half a letter, still has a colour to show. */
function visible(text: string): string {
  if (text === "") return "·";
  return text.replaceAll("\n", "↵");
}
