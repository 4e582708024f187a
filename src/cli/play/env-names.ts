/** Ids of the worlds, for options that take one. Asking loads the room, so that help and other commands do not. */
export async function envNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../env/index.ts")).envs);
}
