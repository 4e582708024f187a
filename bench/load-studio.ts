/** The studio's server over a store, in a process of its own: it prints address and token and serves until it is killed. */
import { startStudio } from "../src/serve/index.ts";

const { url, token } = await startStudio({ root: process.argv[2] ?? "", version: "bench" });
process.stdout.write(`${JSON.stringify({ url, token })}\n`);
process.on("SIGTERM", () => process.exit(0));
