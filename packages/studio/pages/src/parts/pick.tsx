/** A labelled list of which one is chosen. */
import type { JSX } from "preact";
import { count } from "../format/numbers.ts";
import { visibleLine } from "../text/visible-text.ts";

export interface PickOption {
  readonly value: string;
  readonly label?: string;
  readonly count?: number;
}

export interface PickProps {
  readonly label: string;
  readonly value: string;
  /** What the choice of nothing is called; without it something is always chosen. */
  readonly any?: string;
  readonly options: readonly PickOption[];
  readonly change: (value: string) => void;
}

export function Pick({ label, value, any, options, change }: PickProps): JSX.Element {
  // A value of the address that is not listed (any more) must still be seen, or the filter would act unseen.
  const known = value === "" || options.some((option) => option.value === value);
  return (
    <label class="labelled">
      {label}
      <select class="field" value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {any !== undefined && <option value="">{any}</option>}
        {!known && <option value={value}>{visibleLine(value, 60)}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {visibleLine(option.label ?? option.value, 60)}
            {option.count === undefined ? "" : ` (${count(option.count)})`}
          </option>
        ))}
      </select>
    </label>
  );
}
