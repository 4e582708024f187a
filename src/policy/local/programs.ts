/** Compiled graphs by shape, so that each shape is compiled once. */
import { compile, type Program, type ProgramOptions, type Tensor } from "../../graph/index.ts";

export interface Programs {
  /** The program of that key; `build` is called once, however many ask at the same time. */
  get(key: string, build: () => Readonly<Record<string, Tensor>>): Promise<Program>;
  readonly count: number;
  close(): Promise<void>;
}

/** At most `limit` are kept; the one unused for longest goes first. */
export function createPrograms(options: ProgramOptions = {}, limit = 64): Programs {
  const cache = new Map<string, Promise<Program>>();
  const drop = async (key: string): Promise<void> => {
    const program = cache.get(key);
    cache.delete(key);
    await (await program)?.close();
  };
  return {
    get: async (key, build) => {
      const known = cache.get(key);
      const program = known ?? compile(build(), options);
      cache.delete(key);
      cache.set(key, program);
      if (known === undefined) {
        program.catch(() => cache.delete(key));
        if (cache.size > limit) await drop(cache.keys().next().value as string);
      }
      return program;
    },
    get count() {
      return cache.size;
    },
    close: async () => {
      await Promise.allSettled([...cache.keys()].map(drop));
    },
  };
}
