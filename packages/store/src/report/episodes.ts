/** The same held-out task before and after the training, side by side. */
import type { Store } from "../store/store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { clip, markup, type Html } from "./html.ts";
import { plural } from "./numbers.ts";
import type { Pair } from "./pairs.ts";
import { headOf } from "./tokens.ts";

const STEPS = 60;
const LETTERS = 400;

export interface EpisodePair {
  readonly title: string;
  readonly goal: string;
  readonly before: Trajectory;
  readonly after: Trajectory;
}

/** The first task that failed before, whatever became of it; and where it still fails, the first that is solved now. */
export async function readEpisodes(store: Store, run: string, pairs: readonly Pair[]): Promise<EpisodePair[]> {
  const failed = pairs.find(({ before }) => !before.success);
  const mended =
    failed?.after.success === false ? pairs.find(({ before, after }) => !before.success && after.success) : undefined;
  const chosen = [
    ...(failed === undefined
      ? []
      : [{ title: "The first task that was not solved before the training", pair: failed }]),
    ...(mended === undefined
      ? []
      : [{ title: "It is not solved yet. The first that was not solved before and is now", pair: mended }]),
  ];
  const ids = chosen.flatMap(({ pair }) => [pair.before.trajectory, pair.after.trajectory]);
  const found = new Map<string, Trajectory>();
  if (ids.length > 0) for await (const one of store.trajectories({ run, ids })) found.set(one.id, one);
  return chosen.flatMap(({ title, pair }) => {
    const [before, after] = [found.get(pair.before.trajectory), found.get(pair.after.trajectory)];
    return before === undefined || after === undefined ? [] : [{ title, goal: pair.goal, before, after }];
  });
}

export function episodesSection(shown: readonly EpisodePair[], pairs: readonly Pair[]): Html {
  if (pairs.length === 0) return markup`<p class="none">No task was played both before and after.</p>`;
  if (shown.length === 0) return markup`<p class="none">Every task was solved before the training.</p>`;
  return markup`${shown.map(
    ({ title, goal, before, after }) =>
      markup`<h3>${title}</h3><p class="goal"><b>Task:</b> ${clip(goal, LETTERS)}</p><div class="sides">${sideOf("Before", before)}${sideOf("After", after)}</div>`,
  )}`;
}

function sideOf(name: string, trajectory: Trajectory): Html {
  const { steps, closing } = trajectory;
  const lines = steps.slice(0, STEPS).map((step, at) => {
    const next = steps[at + 1]?.observation ?? closing?.observation ?? "";
    return markup`<li value="${step.index}"><p class="words">${clip(step.action, LETTERS)}${step.valid ? undefined : markup` <span class="refused">refused</span>`}</p><p class="seen">${clip(next.trim(), LETTERS)}</p></li>`;
  });
  const left = steps.length - lines.length;
  return markup`<article class="episode"><h4>${name} ${headOf(trajectory)}</h4><ol class="steps">${lines}</ol>${left > 0 ? markup`<p class="none">${plural(left, "more step")} not shown.</p>` : undefined}</article>`;
}
