/** Ready views, and the way to take this one along. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { go } from "../../route/use-place.ts";

const VIEWS: readonly { readonly label: string; readonly query: Readonly<Record<string, string>> }[] = [
  { label: "not solved, longest first", query: { outcome: "failure", sort: "steps" } },
  { label: "cut off by a limit", query: { ending: "truncated" } },
  { label: "lost to errors", query: { ending: "failed" } },
  { label: "held-out, after training", query: { phase: "after" } },
  { label: "solved, quickest first", query: { outcome: "success", sort: "steps", order: "up" } },
];

export function ViewLinks(): JSX.Element {
  const [copied, setCopied] = useState("Copy address");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(location.href);
      setCopied("Copied");
    } catch {
      // A browser may refuse its clipboard; the address bar has the same link.
      setCopied("Copy it from the address bar");
    }
  };
  return (
    <>
      <select
        class="field"
        aria-label="Ready views"
        value=""
        onChange={({ currentTarget }) => go(["trajectories"], VIEWS[Number(currentTarget.value)]?.query)}
      >
        <option value="">Views …</option>
        {VIEWS.map(({ label }, at) => (
          <option key={label} value={at}>
            {label}
          </option>
        ))}
      </select>
      <button class="button" type="button" onClick={() => void copy()}>
        {copied}
      </button>
    </>
  );
}
