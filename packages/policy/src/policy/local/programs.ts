/** Compiled graphs by shape, so that each shape is compiled once as long as there is memory for it. */
import { compile, type Program, type CompileOptions } from "../../graph/program.ts";
import type { Tensor } from "../../graph/tensor.ts";

type Build = () => Readonly<Record<string, Tensor>>;

interface ProgramKind {
  /** Whether it gives its memory back after every run, which takes a little longer: for few runs of much memory. Default: false. */
  readonly frugal?: boolean;
}

export interface Made {
  programs: number;
  milliseconds: number;
}

export interface ProgramsLimits {
  readonly programs?: number;
  /** Estimated memory of all sessions together. */
  readonly bytes?: number;
}

interface Entry {
  readonly program: Promise<Program>;
  /** Runs that wait or are under way; such a program is not given up. */
  users: number;
  bytes: number;
}

/** What a session holds for each node, measured; its arena is about half larger than what is alive at one time. */
const NODE_BYTES = 10_000;

export type Programs = ReturnType<typeof createPrograms>;

/**
 * A session keeps the memory of its largest run. Large ones that are unused for longest go first; one that is wanted again is compiled
 * again.
 */
export function createPrograms(options: CompileOptions = {}, limits: ProgramsLimits = {}) {
  const { programs: most = 192, bytes: mostBytes = 768 * 2 ** 20 } = limits;
  const cache = new Map<string, Entry>();
  const made: Made = { programs: 0, milliseconds: 0 };

  const touch = (key: string, build: Build, { frugal = false }: ProgramKind): Entry => {
    const known = cache.get(key);
    const begun = performance.now();
    const own = { calm: true, ...options, ...(frugal ? { inTurns: true } : {}) };
    const entry = known ?? { program: compile(build(), own), users: 0, bytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    if (known === undefined) {
      made.programs += 1;
      entry.program.then(
        ({ model }) => {
          made.milliseconds += performance.now() - begun;
          entry.bytes = Math.ceil(frugal ? 0 : 1.5 * model.peakBytes) + model.nodes * NODE_BYTES;
        },
        () => cache.delete(key),
      );
    }
    return entry;
  };

  /**
   * Unused for longest, of those that hold at least as much as the others do on average: to make room for one large program, many
   * small ones would have to go, and each is made anew when it is wanted again.
   */
  const victim = (): string | undefined => {
    const idle = [...cache].slice(0, -1).filter(([, { users }]) => users === 0);
    const all = idle.reduce((total, [, { bytes }]) => total + bytes, 0);
    return idle.find(([, { bytes }]) => bytes * idle.length >= all)?.[0];
  };

  const trim = async (): Promise<void> => {
    const held = (): number => [...cache.values()].reduce((total, { bytes }) => total + bytes, 0);
    while (cache.size > most || held() > mostBytes) {
      const key = victim();
      if (key === undefined) return;
      const { program } = cache.get(key) as Entry;
      cache.delete(key);
      await (await program).close();
    }
  };

  return {
    /** The program of that key; `build` is called once, however many ask at the same time. It is closed with the others. */
    get: async (key: string, build: Build, kind: ProgramKind = {}): Promise<Program> => {
      const { model } = await touch(key, build, kind).program;
      return {
        model,
        run: async (feeds, into) => {
          const entry = touch(key, build, kind);
          entry.users += 1;
          try {
            return await (await entry.program).run(feeds, into);
          } finally {
            entry.users -= 1;
            await trim();
          }
        },
        close: async () => undefined,
      };
    },
    get count(): number {
      return cache.size;
    },
    /** What making programs has cost so far, also of those that were given up again. */
    made: made as Readonly<Made>,
    close: async (): Promise<void> => {
      const held = [...cache.values()];
      cache.clear();
      await Promise.allSettled(held.map(async ({ program }) => (await program).close()));
    },
  };
}
