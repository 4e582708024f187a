/** What went wrong and what to do about it. A page always shows this instead of nothing. */
import { Component, type ComponentChildren, type JSX } from "preact";
import type { Failure } from "../client/failure.ts";
import { writePlace } from "../route/place.ts";
import { Visible } from "./inert-text.tsx";

interface Advice {
  readonly title: string;
  readonly way: string;
}

const START = "Run “limbeck studio” again, or look at the terminal where it runs, and open the address it prints.";

const ADVICE: Readonly<Record<string, Advice>> = {
  unauthorised: {
    title: "This page has no valid key",
    way: `The server was restarted, or the address was opened without its key. ${START}`,
  },
  "no-server": { title: "The server does not answer", way: `It was stopped, or the connection was lost. ${START}` },
  "no-run": { title: "This run is not in the store", way: "It was deleted, renamed, or belongs to another store." },
  "no-trajectory": { title: "This trajectory is not in the run", way: "The run may have been written anew." },
  "segment-damaged": {
    title: "A file of this run is damaged",
    way: "Restore the file or delete the run; the others are not affected.",
  },
  "segment-missing": {
    title: "A file of this run is missing",
    way: "Restore the file or delete the run; the others are not affected.",
  },
  "no-game": {
    title: "This game is over",
    way: "Games live in the server's memory; it was restarted. Open a new one.",
  },
};

export function Problem(props: { readonly failure: Failure; readonly again?: () => void }): JSX.Element {
  const { failure, again } = props;
  const advice = ADVICE[failure.code] ?? { title: "That did not work", way: "" };
  return (
    <div class="note bad" role="alert">
      <h2>{advice.title}</h2>
      {failure.message !== "" && (
        // A database points at the place of an error with a caret below it, which must stay below it.
        <p class={failure.message.includes("\n") ? "inert pointed" : ""}>
          <Visible text={failure.message} />
        </p>
      )}
      {advice.way !== "" && <p>{advice.way}</p>}
      <p class="row">
        {again !== undefined && (
          <button class="button" type="button" onClick={again}>
            Try again
          </button>
        )}
        <a href={writePlace(["runs"])}>All runs</a>
        <code class="soft">{failure.code}</code>
      </p>
    </div>
  );
}

interface BoundaryState {
  readonly error: Error | undefined;
}

/** Keeps a fault of the page itself from emptying it. A new `place` is a new chance. */
export class ErrorBoundary extends Component<
  { readonly place: string; readonly children: ComponentChildren },
  BoundaryState
> {
  override state: BoundaryState = { error: undefined };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: error instanceof Error ? error : new Error("Something that is no error was thrown.") };
  }

  override componentDidUpdate(before: { readonly place: string }): void {
    if (before.place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div class="note bad" role="alert">
        <h1>This page has a fault</h1>
        <p>
          <Visible text={error.message} />
        </p>
        <p>
          The data is unharmed. <a href={writePlace(["runs"])}>All runs</a> or reload the page; please report what you
          did.
        </p>
      </div>
    );
  }
}
