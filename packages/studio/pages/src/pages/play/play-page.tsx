/** A world in the reader's own hands, with what the policy would do beside; every place can be left twice. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenGame, PlayMenu } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { useAnswer, useClient } from "../../client/use-answer.ts";
import { count } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { setting, wholeSetting } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { Game } from "./game.tsx";

export function PlayPage(): JSX.Element {
  const place = usePlace();
  const game = setting(place, "game");
  const menu = useAnswer("playMenu", {});
  const [run, trajectory] = [setting(place, "run"), setting(place, "trajectory")];
  if (game !== undefined) return <Game key={game} id={game} />;
  return (
    <>
      <PageHead
        title="Play"
        lead="Open a world, act in it, and see what the policy would do. Nothing is written to the store."
      />
      <Answered asked={menu} what="the worlds">
        {(value) =>
          run !== undefined && trajectory !== undefined ? (
            <FromTrajectory menu={value} run={run} trajectory={trajectory} step={wholeSetting(place, "step") ?? 0} />
          ) : (
            <FreshGame menu={value} />
          )
        }
      </Answered>
    </>
  );
}

function useOpen(): {
  readonly open: (body: OpenGame) => void;
  readonly busy: boolean;
  readonly failure: Failure | undefined;
} {
  const client = useClient();
  const place = usePlace();
  const [state, setState] = useState<{ busy: boolean; failure?: Failure }>({ busy: false });
  const open = (body: OpenGame): void => {
    setState({ busy: true });
    client.call("openGame", { body }).then(
      ({ id }) => refine(place, { game: id }),
      (error: unknown) => setState({ busy: false, failure: toFailure(error) }),
    );
  };
  return { open, busy: state.busy, failure: state.failure };
}

interface FromProps {
  readonly menu: PlayMenu;
  readonly run: string;
  readonly trajectory: string;
  readonly step: number;
}

function FromTrajectory({ menu, run, trajectory, step }: FromProps): JSX.Element {
  const { open, busy, failure } = useOpen();
  const [policy, setPolicy] = useState(
    () => menu.policies.find(({ id }) => id === `run:${run}`)?.id ?? usualPolicy(menu, FIRST_WORLD),
  );
  return (
    <section class="card section" aria-label="Go on from a trajectory">
      <p>
        Goes on at step {step} of <code>{visibleLine(trajectory, 80)}</code> of run <code>{visibleLine(run, 60)}</code>;
        what was done before is done again.
      </p>
      <div class="row">
        <PolicyPick menu={menu} env={FIRST_WORLD} value={policy} change={setPolicy} />
        <button
          class="button primary"
          type="button"
          disabled={busy}
          onClick={() => open({ run, trajectory, step, ...beside(policy) })}
        >
          {busy ? "Opening …" : "Play on from here"}
        </button>
      </div>
      {failure !== undefined && <Problem failure={failure} />}
    </section>
  );
}

function FreshGame({ menu }: { readonly menu: PlayMenu }): JSX.Element {
  const { open, busy, failure } = useOpen();
  const place = usePlace();
  const world = chosenWorld(menu, setting(place, "env"));
  const env = world?.id ?? "";
  const split =
    world?.splits.find(({ name }) => name === setting(place, "split"))?.name ?? world?.splits[0]?.name ?? "";
  const index = wholeSetting(place, "task") ?? 0;
  const policy = setting(place, "policy") ?? usualPolicy(menu, env);
  return (
    <section class="card section" aria-label="A new game">
      <div class="row">
        <WorldPick
          menu={menu}
          env={env}
          setEnv={(next) => refine(place, { env: next, split: undefined, policy: undefined })}
          split={split}
          setSplit={(next) => refine(place, { split: next })}
        />
        <label class="labelled narrow">
          Task
          <input
            class="field"
            type="number"
            min={0}
            value={index}
            onInput={({ currentTarget }) =>
              refine(place, { task: String(Math.max(0, Math.floor(Number(currentTarget.value)) || 0)) })
            }
          />
        </label>
        <PolicyPick menu={menu} env={env} value={policy} change={(next) => refine(place, { policy: next || NOBODY })} />
        <button
          class="button primary"
          type="button"
          disabled={busy || env === ""}
          onClick={() => open({ env, index, ...(split === "" ? {} : { split }), ...beside(policy) })}
        >
          {busy ? "Opening …" : "Open"}
        </button>
      </div>
      {world !== undefined && (
        <p class="soft">
          <Visible text={world.summary} />
        </p>
      )}
      {policy === NOBODY && usualPolicy(menu, env) === NOBODY && (
        <p class="soft small">
          No model comes with this world. Train one in it, or start the studio with your own:{" "}
          <code>limbeck studio --model DIR</code>
        </p>
      )}
      {failure !== undefined && <Problem failure={failure} />}
      <Unavailable menu={menu} />
    </section>
  );
}

interface WorldPickProps {
  readonly menu: PlayMenu;
  readonly env: string;
  readonly setEnv: (env: string) => void;
  readonly split: string;
  readonly setSplit: (split: string) => void;
}

function WorldPick({ menu, env, setEnv, split, setSplit }: WorldPickProps): JSX.Element {
  const world = menu.worlds.find(({ id }) => id === env);
  return (
    <>
      <label class="labelled">
        World
        <select class="field" value={env} onChange={({ currentTarget }) => setEnv(currentTarget.value)}>
          {menu.worlds.map(({ id, problem }) => (
            <option key={id} value={id} disabled={problem !== null}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label class="labelled">
        Split
        <select class="field" value={split} onChange={({ currentTarget }) => setSplit(currentTarget.value)}>
          {world?.splits.map(({ name, tasks }) => (
            <option key={name} value={name}>
              {name}
              {tasks === null ? "" : ` (${count(tasks)})`}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function Unavailable({ menu }: { readonly menu: PlayMenu }): JSX.Element | null {
  const closed = menu.worlds.filter(({ problem }) => problem !== null);
  if (closed.length === 0) return null;
  return (
    <details>
      <summary>{closed.length} worlds cannot be opened here</summary>
      <ul>
        {closed.map(({ id, problem }) => (
          <li key={id}>
            <b>{id}</b>: <Visible text={problem ?? ""} />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface PolicyPickProps {
  readonly menu: PlayMenu;
  /** The world that is played. */
  readonly env: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

function PolicyPick({ menu, env, value, change }: PolicyPickProps): JSX.Element {
  const fits = (policy: PlayMenu["policies"][number]): boolean => policy.env === null || policy.env === languageOf(env);
  const options = (some: PlayMenu["policies"]): JSX.Element[] =>
    some.map(({ id, label }) => (
      <option key={id} value={id}>
        {visibleLine(label, 60)}
      </option>
    ));
  const others = menu.policies.filter((policy) => !fits(policy));
  return (
    <label class="labelled">
      Policy beside you
      <select class="field" value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value={NOBODY}>nobody</option>
        {options(menu.policies.filter(fits))}
        {others.length > 0 && <optgroup label="made for other worlds">{options(others)}</optgroup>}
      </select>
    </label>
  );
}

const NOBODY = "nobody";
const FIRST_WORLD = "household";

function chosenWorld(menu: PlayMenu, asked: string | undefined): PlayMenu["worlds"][number] | undefined {
  const openable = menu.worlds.filter(({ problem }) => problem === null);
  const of = (name: string | undefined): PlayMenu["worlds"][number] | undefined =>
    openable.find(({ id }) => id === name);
  return of(asked) ?? of(FIRST_WORLD) ?? openable[0];
}

/** Household speaks the language of ALFWorld. */
function languageOf(env: string): string {
  return env === "alfworld" ? FIRST_WORLD : env;
}

/** A model that the reader has brought, else the one that was made for the world, else nobody. */
function usualPolicy(menu: PlayMenu, env: string): string {
  const own = menu.policies.find(({ id }) => id.startsWith("own:"));
  return (own ?? menu.policies.find((policy) => policy.env === languageOf(env)))?.id ?? NOBODY;
}

function beside(policy: string): { readonly policy?: string } {
  return policy === NOBODY || policy === "" ? {} : { policy };
}
