/**
 * Servers under load, each in a process of its own: what 500 requests a second at the studio cost a training beside it, and what the proxy
 * adds to the events of 200 streams at once. Both compare with and without in the same run, one after the other.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import type { Bench, BenchRun } from "./harness.ts";

const [RATE, UPDATES] = [500, 6];
const [STREAMS, SECONDS] = [200, 10];
const cli = join(import.meta.dirname, "../../packages/limbeck/src/cli/bin.ts");
const here = (script: string): string => join(import.meta.dirname, script);

/** With the loader that this process was started with. */
function start(script: string, ...words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, script, ...words], { stdio: ["ignore", "pipe", "inherit"] });
}

async function firstLine(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const bytes of child.stdout as NodeJS.ReadableStream) {
    said += String(bytes);
    if (said.includes("\n")) break;
  }
  return said.split("\n")[0] ?? "";
}

/** Everything a child prints until it ends. */
async function allOf(child: ChildProcess): Promise<string> {
  let said = "";
  child.stdout?.on("data", (bytes: Buffer) => (said += String(bytes)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0 && code !== null) throw new Error(`A process of the bench ended with ${code}: ${said.slice(-500)}`);
  return said;
}

interface Trained {
  readonly wallSeconds: number;
  readonly processorSeconds: number;
}

/** The updates of a training; the first one, in which the engine warms up, is left out. */
async function train(dir: string): Promise<Trained> {
  const said = await allOf(start(here("load-training.ts"), dir, String(UPDATES)));
  return JSON.parse(said.trim().split("\n").at(-1) ?? "{}") as Trained;
}

interface Asked {
  readonly rate: number;
  readonly median: number;
  readonly p99: number;
  readonly refused: number;
}

const studio: Bench = {
  name: "load/studio-beside-training",
  summary: `How much slower a training on one thread is with ${RATE} requests a second at a studio over its store.`,
  unit: "%",
  goal: { at: "most", value: 5 },
  repetitions: 5,
  warmUps: 0,
  setUp: async (folder): Promise<BenchRun> => {
    // A run that is looked at, beside the one that is written.
    await train(join(folder, "shown"));
    const server = start(here("load-studio.ts"), folder);
    const { url, token } = JSON.parse(await firstLine(server)) as { readonly url: string; readonly token: string };
    const notes: Record<string, string> = {};
    let round = 0;
    const quiet = async (): Promise<Trained> => await train(join(folder, `quiet-${round}`));
    const busy = async (): Promise<Trained> => {
      const load = start(here("load-ask.ts"), url, token, String(RATE));
      const heard = allOf(load);
      const trained = await train(join(folder, `busy-${round}`));
      load.kill("SIGTERM");
      const { rate, median, p99, refused } = JSON.parse(await heard) as Asked;
      notes[`asked ${round}`] =
        `${rate.toFixed(0)}/s, median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${refused} refused`;
      return trained;
    };
    return {
      measure: async () => {
        round += 1;
        // The order turns, so that a machine that slows down does not count for one of them.
        const first = round % 2 === 0;
        const before = first ? await busy() : undefined;
        const without = await quiet();
        const beside = before ?? (await busy());
        const processor = 100 * (beside.processorSeconds / without.processorSeconds - 1);
        notes[`round ${round}`] =
          `${without.wallSeconds.toFixed(2)} s, then ${beside.wallSeconds.toFixed(2)} s; processor ${processor.toFixed(1)}%`;
        return 100 * (beside.wallSeconds / without.wallSeconds - 1);
      },
      notes: () => ({ ...notes, load: loadavg()[0] ?? 0 }),
      close: async () => {
        server.kill("SIGTERM");
        await once(server, "close");
      },
    };
  },
};

interface Streamed {
  /** From the moment an event was written to the moment it was read, milliseconds. */
  readonly event: number;
  readonly eventP99: number;
  /** Until the first event. */
  readonly first: number;
  readonly streams: number;
}

const proxy: Bench = {
  name: "load/proxy-200-streams",
  summary: `What the proxy adds to an event of a stream, median, while ${STREAMS} streams are open and each has 20 events a second.`,
  unit: "ms",
  goal: { at: "most", value: 5 },
  repetitions: 5,
  warmUps: 1,
  setUp: async (folder): Promise<BenchRun> => {
    const upstream = start(here("load-upstream.ts"));
    const provider = await firstLine(upstream);
    const words = ["proxy", "--port", "0", "--openai", provider, "--store", folder, "--idle", "2s", "--json"];
    const between = start(cli, ...words);
    const { url } = JSON.parse(await firstLine(between)) as { readonly url: string };
    const ask = async (address: string): Promise<Streamed> =>
      JSON.parse(await allOf(start(here("load-streams.ts"), address, String(STREAMS), String(SECONDS)))) as Streamed;
    const notes: Record<string, string> = {};
    let round = 0;
    return {
      measure: async () => {
        const direct = await ask(provider.replace(/\/v1$/, ""));
        const through = await ask(url);
        const added = (key: keyof Streamed): string => `${direct[key].toFixed(2)} to ${through[key].toFixed(2)}`;
        notes[`round ${round}`] =
          `event ${added("event")}, p99 ${added("eventP99")}, first ${added("first")}, ${through.streams} streams`;
        round += 1;
        return through.event - direct.event;
      },
      notes: () => ({ ...notes, load: loadavg()[0] ?? 0 }),
      close: async () => {
        for (const child of [between, upstream]) child.kill("SIGTERM");
        await Promise.all([once(between, "close"), once(upstream, "close")]);
      },
    };
  },
};

export const loadBenches: readonly Bench[] = [studio, proxy];
