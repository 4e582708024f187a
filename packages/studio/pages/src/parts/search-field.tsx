/** A field whose words take effect shortly after the last letter. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const PAUSE_MS = 250;

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly placeholder?: string;
}

export function SearchField({ label, value, change, placeholder }: SearchFieldProps): JSX.Element {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(change);
  latest.current = change;
  // An address that is changed from outside (back, a saved view) changes the field.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      class="field"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => latest.current(currentTarget.value), PAUSE_MS);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
