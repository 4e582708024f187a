/** The scripted provider in a process of its own: it prints its address and serves until it is killed. */
import { startScriptedProvider } from "../../examples/scripted-provider.ts";

const { url } = await startScriptedProvider();
process.stdout.write(`${url}\n`);
