/** Compiled graphs by shape, so that each shape is compiled once as long as there is memory for it. */
import { compile, type Program, type Tensor } from "../../graph/index.ts";
import type { CompileOptions } from "../../graph/program.ts";

export interface Programs {
  /** The program of that key; `build` is called once, however many ask at the same time. It is closed with the others. */
  get(key: string, build: () => Readonly<Record<string, Tensor>>): Promise<Program>;
  readonly count: number;
  /** What making programs has cost so far, also of those that were given up again. */
  readonly made: Readonly<Made>;
  close(): Promise<void>;
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

/** A session keeps the memory of its largest run. Those unused for longest go first; one that is wanted again is compiled again. */
export function createPrograms(options: CompileOptions = {}, limits: ProgramsLimits = {}): Programs {
  const { programs: most = 64, bytes: mostBytes = 640 * 2 ** 20 } = limits;
  const cache = new Map<string, Entry>();
  const made: Made = { programs: 0, milliseconds: 0 };

  const touch = (key: string, build: () => Readonly<Record<string, Tensor>>): Entry => {
    const known = cache.get(key);
    const begun = performance.now();
    const entry = known ?? { program: compile(build(), { calm: true, ...options }), users: 0, bytes: 0 };
    cache.delete(key);
    cache.set(key, entry);
    if (known === undefined) {
      made.programs += 1;
      entry.program.then(
        ({ model }) => {
          made.milliseconds += performance.now() - begun;
          entry.bytes = 1.5 * model.peakBytes + model.nodes * NODE_BYTES;
        },
        () => cache.delete(key),
      );
    }
    return entry;
  };

  const trim = async (): Promise<void> => {
    let bytes = [...cache.values()].reduce((total, entry) => total + entry.bytes, 0);
    for (const [key, entry] of [...cache].slice(0, -1)) {
      if (cache.size <= most && bytes <= mostBytes) return;
      if (entry.users > 0) continue;
      cache.delete(key);
      bytes -= entry.bytes;
      await (await entry.program).close();
    }
  };

  return {
    get: async (key, build) => {
      const { model } = await touch(key, build).program;
      return {
        model,
        run: async (feeds, into) => {
          const entry = touch(key, build);
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
    get count() {
      return cache.size;
    },
    made,
    close: async () => {
      const held = [...cache.values()];
      cache.clear();
      await Promise.allSettled(held.map(async ({ program }) => (await program).close()));
    },
  };
}
