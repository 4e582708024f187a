/** Where the reader was on each page of the tab's history, so that "back" leads to the row that was left. */

const KEY = "limbeck-scroll";
/** Pages whose places are remembered. */
const MOST = 200;
/** For so long a page that is still loading is given the chance to be as long as it was. */
const PATIENCE_MS = 5_000;

interface Entry {
  readonly entry?: number;
}

let places = new Map<number, number>();
let waiting: (() => void) | undefined;

/** Call once, at the start. */
export function watchScroll(): void {
  history.scrollRestoration = "manual";
  places = readKept();
  addEventListener("scroll", () => note(), { passive: true });
  addEventListener("pagehide", keep);
  if (entryOf() === undefined) begin();
  else restore();
}

/** After the address has changed: a place that was visited before is found again, a new one begins at its top. */
export function arrive(): void {
  if (entryOf() === undefined) {
    begin();
    scrollTo(0, 0);
  } else restore();
}

function entryOf(): number | undefined {
  return (history.state as Entry | null)?.entry;
}

function begin(): void {
  waiting?.();
  const entry = Math.max(0, ...places.keys()) + 1;
  history.replaceState({ ...(history.state as object | null), entry }, "");
  places.set(entry, 0);
  for (const old of [...places.keys()].slice(0, -MOST)) places.delete(old);
}

function note(): void {
  const entry = entryOf();
  if (entry !== undefined && waiting === undefined) places.set(entry, scrollY);
}

/** Scrolls as soon as the page is long enough; who scrolls meanwhile is left alone. */
function restore(): void {
  waiting?.();
  const wanted = places.get(entryOf() ?? -1) ?? 0;
  const stop = (): void => {
    observer.disconnect();
    clearTimeout(timer);
    for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) removeEventListener(event, stop);
    waiting = undefined;
  };
  const look = (): void => {
    scrollTo(0, wanted);
    if (Math.abs(scrollY - wanted) <= 1) stop();
  };
  const observer = new ResizeObserver(look);
  const timer = setTimeout(stop, PATIENCE_MS);
  waiting = stop;
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"])
    addEventListener(event, stop, { passive: true });
  observer.observe(document.body);
}

function readKept(): Map<number, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [number, number][]);
  } catch {
    return new Map();
  }
}

function keep(): void {
  sessionStorage.setItem(KEY, JSON.stringify([...places]));
}
