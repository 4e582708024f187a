/** The same held-out task before and after the training, side by side. */
import type { JSX } from "preact";
import type { BeforeAfter, RunDetail } from "../../../../src/serve/api.ts";
import { plural } from "../../format/numbers.ts";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";

/** So many steps are in sight at once; the rest is folded. */
const OPEN = 8;

export function BeforeAndAfter({ detail: { id, examples } }: { readonly detail: RunDetail }): JSX.Element | null {
  if (examples.length === 0) return null;
  return (
    <section class="section" aria-label="Before and after">
      <h2>Before and after</h2>
      {examples.map(({ title, goal, before, after }) => (
        <div key={title} class="section">
          <h3>{title}</h3>
          <p>
            <span class="soft">Task:</span> <Visible text={goal} />
          </p>
          <div class="sides">
            <Side name="Before" run={id} side={before} />
            <Side name="After" run={id} side={after} />
          </div>
        </div>
      ))}
    </section>
  );
}

interface SideProps {
  readonly name: string;
  readonly run: string;
  readonly side: BeforeAfter["before"];
}

function Side({ name, run, side: { trajectory, outcome, steps, total } }: SideProps): JSX.Element {
  const folded = steps.slice(OPEN);
  return (
    <article class="card side-episode">
      <h4 class="row">
        <a href={writePlace(["runs", run, "trajectory", trajectory])}>{name}</a>
        <OutcomeBadge outcome={outcome} />
        <span class="soft">in {plural(total, "step")}</span>
      </h4>
      <Steps steps={steps.slice(0, OPEN)} />
      {folded.length > 0 && (
        <details>
          <summary>{plural(folded.length, "more step")}</summary>
          <Steps steps={folded} />
          {total > steps.length && <p class="soft">{plural(total - steps.length, "step")} not shown.</p>}
        </details>
      )}
    </article>
  );
}

function Steps({ steps }: { readonly steps: BeforeAfter["before"]["steps"] }): JSX.Element {
  return (
    <ol class="short-steps">
      {steps.map(({ step, action, valid, seen }) => (
        <li key={step} value={step}>
          <p class="inert">
            <Visible text={action} /> {!valid && <span class="badge warn">refused</span>}
          </p>
          <p class="soft inert">
            <Visible text={seen} />
          </p>
        </li>
      ))}
    </ol>
  );
}
