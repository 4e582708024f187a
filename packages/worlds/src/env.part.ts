/** The environments that are given by name, for options. */
import type { Part } from "limbeck-base/base/operation";

export const envPart = { names: async () => Object.keys((await import("./index.ts")).envs) } satisfies Part;
