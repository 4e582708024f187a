/** Names of methods, for options that take one. Asking loads the room, so that help and other commands do not. */
export async function creditNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../credit/registry.ts")).allCredits);
}

export async function strategyNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../rollout/registry.ts")).allStrategies);
}

export async function rewardNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../reward/registry.ts")).allRewards);
}
