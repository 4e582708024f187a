/** The frame of the studio: navigation, keys, theme, and the page that the address names. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { createClient } from "./client/client.ts";
import { ClientContext, MetaContext, useAnswer } from "./client/use-answer.ts";
import { ShortcutProvider, useHelp, useShortcuts } from "./keys/shortcuts.tsx";
import { ArenaPage } from "./pages/arena/arena-page.tsx";
import { ComparePage } from "./pages/compare/compare-page.tsx";
import { FleetPage } from "./pages/fleet/fleet-page.tsx";
import { JudgePage } from "./pages/judge/judge-page.tsx";
import { PlayPage } from "./pages/play/play-page.tsx";
import { RunPage } from "./pages/run/run-page.tsx";
import { RunsPage } from "./pages/runs/runs-page.tsx";
import { SkillsPage } from "./pages/skills/skills-page.tsx";
import { TrainPage } from "./pages/train/train-page.tsx";
import { TrajectoriesPage } from "./pages/trajectories/trajectories-page.tsx";
import { TrajectoryPage } from "./pages/trajectory/trajectory-page.tsx";
import { TreePage } from "./pages/tree/tree-page.tsx";
import { ErrorBoundary, Problem } from "./parts/problem.tsx";
import { writePlace, type Place } from "./route/place.ts";
import { go, PlaceContext, useAddress, usePlace } from "./route/use-place.ts";
import { arrive, watchScroll } from "./route/scroll-places.ts";
import { useTheme } from "./theme.ts";

const PAGES = [
  { id: "runs", label: "Runs", key: "r" },
  { id: "trajectories", label: "Trajectories", key: "t" },
  { id: "tree", label: "Trees", key: "b" },
  { id: "skills", label: "Skills", key: "s" },
  { id: "judge", label: "Judge", key: "j" },
  { id: "arena", label: "Arena", key: "a" },
  { id: "train", label: "Train", key: "n" },
  { id: "play", label: "Play", key: "p" },
  { id: "fleet", label: "Fleet", key: "f" },
] as const;

type PageId = (typeof PAGES)[number]["id"];

export function App(): JSX.Element {
  const client = useMemo(createClient, []);
  const place = useAddress();
  return (
    <ClientContext.Provider value={client}>
      <PlaceContext.Provider value={place}>
        <ShortcutProvider>
          <Frame />
        </ShortcutProvider>
      </PlaceContext.Provider>
    </ClientContext.Provider>
  );
}

function Frame(): JSX.Element {
  const place = usePlace();
  const meta = useAnswer("meta", {});
  const theme = useTheme();
  const help = useHelp();
  const main = useRef<HTMLElement>(null);
  const path = place.segments.join("/");
  useShortcuts("Everywhere", [
    ...PAGES.map(({ id, label, key }) => ({ keys: `g ${key}`, meaning: `go to ${label}`, run: () => go([id]) })),
    { keys: "/", meaning: "search", run: () => document.querySelector<HTMLElement>("[type=search]")?.focus() },
    { keys: "d", meaning: "light, dark or as the system is", run: theme.change },
    { keys: "?", meaning: "this list", run: help },
  ]);
  useFreshPage(path, main);
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href={writePlace(["runs"])}>
          <Mark /> Limbeck
        </a>
        <nav aria-label="Pages">
          <ul>
            {PAGES.map(({ id, label }) => (
              <li key={id}>
                <a href={writePlace([id])} {...(sectionOf(place) === id ? { "aria-current": "page" as const } : {})}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="tools">
          <button class="button quiet small" type="button" onClick={theme.change} title="Change the colours (d)">
            {{ system: "◐ auto", light: "☀ light", dark: "☾ dark" }[theme.theme]}
          </button>
          <button class="button quiet small" type="button" onClick={help} title="All keys (?)">
            <kbd>?</kbd> keys
          </button>
        </div>
      </header>
      <main class="content" id="content" tabIndex={-1} ref={main}>
        {meta.failure !== undefined && <Problem failure={meta.failure} again={meta.reload} />}
        <ErrorBoundary place={path}>
          <MetaContext.Provider value={meta.value}>
            {meta.failure?.code !== "unauthorised" && <Page place={place} />}
          </MetaContext.Provider>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function Page({ place }: { readonly place: Place }): JSX.Element {
  const [first = "runs", second, third, fourth] = place.segments;
  if (first === "runs" && second !== undefined) {
    if (third === "trajectory" && fourth !== undefined) {
      return <TrajectoryPage key={`${second}/${fourth}`} run={second} id={fourth} />;
    }
    if (third === "tree") return <TreePage key={second} run={second} group={fourth} />;
    return <RunPage key={second} run={second} />;
  }
  if (first === "runs") return <RunsPage />;
  if (first === "compare") return <ComparePage />;
  if (first === "trajectories") return <TrajectoriesPage />;
  if (first === "tree") return <TreePage run={undefined} group={undefined} />;
  if (first === "skills") return <SkillsPage />;
  if (first === "judge") return <JudgePage />;
  if (first === "arena") return <ArenaPage key={second} id={second} />;
  if (first === "train") return <TrainPage />;
  if (first === "play") return <PlayPage />;
  if (first === "fleet") return <FleetPage />;
  return (
    <div class="note" role="alert">
      <h1>There is no such page</h1>
      <p>
        The address does not name a page of the studio. <a href={writePlace(["runs"])}>All runs</a>
      </p>
    </div>
  );
}

function sectionOf({ segments: [first = "runs", , third] }: Place): PageId {
  if (first === "runs" && third === "trajectory") return "trajectories";
  if (first === "runs" && third === "tree") return "tree";
  return PAGES.find(({ id }) => id === first)?.id ?? "runs";
}

/** A new page begins at its top, one that was left is found where it was left, and a screen reader hears its title. */
function useFreshPage(path: string, main: { readonly current: HTMLElement | null }): void {
  const before = useRef(path);
  useEffect(watchScroll, []);
  useEffect(() => {
    // On a phone the row of pages may be wider than the screen, also for who comes by a link.
    document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    if (before.current === path) return;
    before.current = path;
    arrive();
    main.current?.focus({ preventScroll: true });
  }, [path]);
}

function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="11" cy="18" r="8" fill="var(--more)" />
      <path d="M13 10.5 26 6l1 3-11 6z" fill="var(--more)" />
      <circle cx="26" cy="23" r="4" fill="var(--less)" />
    </svg>
  );
}
