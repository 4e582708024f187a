/** Small things that many pages show: outcomes, states, intervals, choices. */
import type { JSX } from "preact";
import type { Interval, Outcome, RunStatus } from "../../../src/serve/api.ts";
import { decimal, rate, withSign } from "../format/numbers.ts";

/** "Failed" is an ending: an episode that was lost to an error. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  success: "solved",
  failure: "not solved",
  unknown: "not judged",
};
const OUTCOMES: Readonly<Record<Outcome, readonly [string, string]>> = {
  success: ["good", `✓ ${OUTCOME_WORDS.success}`],
  failure: ["bad", `✗ ${OUTCOME_WORDS.failure}`],
  unknown: ["", OUTCOME_WORDS.unknown],
};

export interface OutcomeBadgeProps {
  readonly outcome: Outcome;
  /** Who has a reward is judged, even where nobody said whether it was solved. */
  readonly reward?: number | null;
}

export function OutcomeBadge({ outcome, reward = null }: OutcomeBadgeProps): JSX.Element {
  if (outcome === "unknown" && reward !== null) return <span class="badge">reward {decimal(reward, 2)}</span>;
  const [kind, word] = OUTCOMES[outcome];
  return <span class={`badge ${kind}`}>{word}</span>;
}

const STATUSES: Readonly<Record<RunStatus, string>> = {
  starting: "live",
  running: "live",
  finished: "good",
  stopped: "warn",
  stored: "",
  broken: "bad",
};

export function StatusBadge({ status }: { readonly status: RunStatus }): JSX.Element {
  return <span class={`badge ${STATUSES[status]}`}>{status}</span>;
}

export interface EstimateProps {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** A difference has a sign. */
  readonly difference?: boolean;
  /** Default: 3. */
  readonly digits?: number;
}

/** A number with its 95 % interval, in the one notation: 0.188 [0.111, 0.300]. */
export function Estimate({ value, low, high, difference = false, digits = 3 }: EstimateProps): JSX.Element {
  const text = (one: number): string =>
    difference ? withSign(one, digits) : digits === 3 ? rate(one) : decimal(one, digits);
  return (
    <span class="no-wrap">
      <b>{text(value)}</b>{" "}
      <span class="soft" title="95 % interval">
        [{text(low)}, {text(high)}]
      </span>
    </span>
  );
}

/** A share and its interval as a mark on a line from 0 to 1. */
export function IntervalTrack({ value, low, high }: Omit<Interval, "tasks">): JSX.Element {
  return (
    <span class="track" aria-hidden="true">
      <span class="reach" style={{ left: `${low * 100}%`, right: `${(1 - high) * 100}%` }} />
      <span class="pin" style={{ left: `${value * 100}%` }} />
    </span>
  );
}

/** A share with its 95 % interval, as numbers and as a mark on a line from 0 to 1. */
export function Share({ share }: { readonly share: Omit<Interval, "tasks"> | null }): JSX.Element {
  if (share === null) return <span class="soft">–</span>;
  const { value, low, high } = share;
  return (
    <span class="interval">
      <IntervalTrack value={value} low={low} high={high} />
      <Estimate value={value} low={low} high={high} />
    </span>
  );
}

export function ProgressBar({ label, share }: { readonly label: string; readonly share: number }): JSX.Element {
  return (
    <div class="progress" role="progressbar" aria-label={label} aria-valuenow={Math.round(share * 100)}>
      <span style={{ width: `${Math.min(1, share) * 100}%` }} />
    </div>
  );
}

export interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly disabled?: boolean;
    readonly title?: string;
  }[];
  readonly choose: (value: Value) => void;
}

export function Choice<Value extends string>({
  legend,
  name,
  value,
  options,
  choose,
}: ChoiceProps<Value>): JSX.Element {
  return (
    <fieldset class="switch">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} title={option.title}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled === true}
            onChange={() => choose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
