/** The studio's server over a store, in a process of its own, as far behind other programs as `limbeck studio` is: it prints address and token and serves until it is killed. */
import { giveWay } from "../../packages/base/src/base/give-way.ts";
import { startStudio } from "../../packages/studio/src/serve/server.ts";

giveWay(Number(process.argv[3] ?? 19));
const { url, token } = await startStudio({ root: process.argv[2] ?? "", version: "bench", keepMs: 250 });
process.stdout.write(`${JSON.stringify({ url, token })}\n`);
process.on("SIGTERM", () => process.exit(0));
