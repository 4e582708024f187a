/** A store in a temporary folder with a proxy in front of a given provider, for tests of recording. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Recordings, type RecordingsOptions } from "../../packages/store/src/record/recordings.ts";
import { startProxy, type Proxy, type ProxyOptions } from "../../packages/store/src/record/proxy.ts";
import { createRedactor, type RedactOptions } from "../../packages/recorder/src/redact.ts";
import { openStore, type StoreOptions } from "../../packages/store/src/store/open-store.ts";
import type { Store } from "../../packages/store/src/store/store.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export interface RecordingSetup {
  readonly store: Store;
  readonly recordings: Recordings;
  readonly proxy: Proxy;
  readonly problems: string[];
  /** Closes the proxy and gives what is stored. */
  finish(): Promise<Trajectory[]>;
  remove(): Promise<void>;
}

export interface SetupOptions extends Partial<ProxyOptions> {
  readonly redact?: RedactOptions;
  readonly store?: (folder: string) => StoreOptions;
  readonly recording?: Partial<RecordingsOptions>;
}

export async function startRecording(provider: string, options: SetupOptions = {}): Promise<RecordingSetup> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-record-"));
  const store = openStore(folder, options.store?.(folder));
  const problems: string[] = [];
  const onProblem = (problem: string): void => void problems.push(problem);
  const recordings = await Recordings.open({ store, run: "recorded", onProblem, ...options.recording });
  const { redact, store: _store, recording: _recording, ...rest } = options;
  const proxy = await startProxy({
    recordings,
    redactor: createRedactor(redact),
    openai: provider,
    anthropic: provider,
    onProblem,
    ...rest,
  });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await proxy.close();
    open = false;
  };
  return {
    store,
    recordings,
    proxy,
    problems,
    finish: async () => {
      await close();
      return await stored(store);
    },
    remove: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function stored(store: Store): Promise<Trajectory[]> {
  const all: Trajectory[] = [];
  for await (const trajectory of store.trajectories()) all.push(trajectory);
  return all;
}

/** What must be the same however it was recorded: all but the clock and the recorder's own notes. */
export function essence(trajectory: Trajectory): object {
  const { timing: _timing, info: _info, ...rest } = trajectory;
  const steps = trajectory.steps.map(({ timing: _stepTiming, info: _stepInfo, ...step }) => step);
  return { ...rest, steps };
}
