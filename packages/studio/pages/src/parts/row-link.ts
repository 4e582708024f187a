/** A row that leads somewhere does so wherever it is clicked; what is a link or a button of its own stays one. */
const OWN = "a, button, input, select, textarea, label, summary, kbd";

export interface RowLink {
  readonly "data-leads": "";
  readonly onClick: (event: MouseEvent) => void;
}

/** For the keyboard and for readers the row's own link is the way; this is for the hand. */
export function rowLink(href: string): RowLink {
  return {
    "data-leads": "",
    onClick: (event) => {
      if (event.target instanceof Element && event.target.closest(OWN) !== null) return;
      // Who selects text does not want to leave.
      if ((getSelection()?.toString() ?? "") !== "") return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) open(href, "_blank", "noopener");
      else location.hash = href;
    },
  };
}
