/** Names of methods, for options that take one. Asking loads the room, so that help and other commands do not. */
export async function creditNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../credit/index.ts")).credits);
}

export async function strategyNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../rollout/index.ts")).strategies);
}
