/** j and k move the focus along links of the page, in the order in which they stand; Enter opens, as everywhere. */
import { useShortcuts } from "./shortcuts.tsx";

export function useLinkKeys(title: string, selector: string): void {
  const move = (by: number): void => {
    const links = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  useShortcuts(title, [
    { keys: "j", meaning: "next link", run: () => move(1) },
    { keys: "k", meaning: "previous link", run: () => move(-1) },
  ]);
}
