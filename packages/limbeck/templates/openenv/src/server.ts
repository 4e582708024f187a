/**
 * An OpenEnv server that stands in for somebody else's: limbeck's world "household", served on this machine.
 *
 * With a server of your own, or one of a hub, you need none of this: give its address in OPENENV_URL.
 */
import { openEnv } from "limbeck";
import { startEnvServer } from "limbeck/env";

export async function startServer() {
  return await startEnvServer({ env: await openEnv("household", { dial: "tiny" }) });
}
