/** A world in the reader's own hands, with what the policy would do beside; every place can be left twice. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
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
    () => menu.policies.find(({ id }) => id.includes(run))?.id ?? menu.policies[0]?.id ?? "",
  );
  return (
    <section class="card section" aria-label="Go on from a trajectory">
      <p>
        Goes on at step {step} of <code>{visibleLine(trajectory, 80)}</code> of run <code>{visibleLine(run, 60)}</code>;
        what was done before is done again.
      </p>
      <div class="row">
        <PolicyPick menu={menu} value={policy} change={setPolicy} />
        <button
          class="button primary"
          type="button"
          disabled={busy}
          onClick={() => open({ run, trajectory, step, ...(policy === "" ? {} : { policy }) })}
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
  const openable = menu.worlds.filter(({ problem }) => problem === null);
  const [env, setEnv] = useState(openable[0]?.id ?? "");
  const world = menu.worlds.find(({ id }) => id === env);
  const [split, setSplit] = useState(world?.splits[0]?.name ?? "");
  const [index, setIndex] = useState(0);
  const [policy, setPolicy] = useState(menu.policies[0]?.id ?? "");
  useEffect(() => {
    if (world !== undefined && !world.splits.some(({ name }) => name === split)) setSplit(world.splits[0]?.name ?? "");
  }, [world]);
  return (
    <section class="card section" aria-label="A new game">
      <div class="row">
        <WorldPick menu={menu} env={env} setEnv={setEnv} split={split} setSplit={setSplit} />
        <label class="labelled narrow">
          Task
          <input
            class="field"
            type="number"
            min={0}
            value={index}
            onInput={({ currentTarget }) => setIndex(Math.max(0, Math.floor(Number(currentTarget.value)) || 0))}
          />
        </label>
        <PolicyPick menu={menu} value={policy} change={setPolicy} />
        <button
          class="button primary"
          type="button"
          disabled={busy || env === ""}
          onClick={() => open({ env, index, ...(split === "" ? {} : { split }), ...(policy === "" ? {} : { policy }) })}
        >
          {busy ? "Opening …" : "Open"}
        </button>
      </div>
      {world !== undefined && (
        <p class="soft">
          <Visible text={world.summary} />
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
  readonly value: string;
  readonly change: (value: string) => void;
}

function PolicyPick({ menu, value, change }: PolicyPickProps): JSX.Element {
  return (
    <label class="labelled">
      Policy beside you
      <select class="field" value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">nobody</option>
        {menu.policies.map(({ id, label }) => (
          <option key={id} value={id}>
            {visibleLine(label, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}
