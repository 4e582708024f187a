/** The world: that of an OpenEnv server, over its socket. docs/learn/openenv.md of limbeck says what each option does. */
import { EngineError, option, defineWorld } from "limbeck";
import { household, createOpenEnv } from "limbeck/env";

export default defineWorld({
  id: "my-openenv",
  info: { title: "My OpenEnv", meaning: "The world of an OpenEnv server." },
  options: {
    url: option.text(null, "address of the server: ws://127.0.0.1:8000"),
    maxSteps: option.count(12, "steps until an episode is cut off"),
  },
  // An address that stands in a stored run is called only with your word.
  addresses: ["url"],
  create: async ({ url, maxSteps }) => {
    if (url === null) throw new EngineError("bad-options", "The address of a server is needed: url=ws://HOST:PORT.");
    return await createOpenEnv({ url, maxSteps });
  },
  // Whoever speaks the language of the server's world can show how it is done; leave it out where nobody can.
  ...(household.demonstrators === undefined ? {} : { demonstrators: household.demonstrators }),
});
