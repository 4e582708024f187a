/** npm run serve: the service alone, until Ctrl-C. */
import { createInterface } from "node:readline";
import { startService } from "./server.ts";

const { url } = await startService(Number(process.env["PORT"] ?? 8080));
process.stdout.write(`The service listens on ${url}. Enter or Ctrl-C ends it.\n`);
createInterface({ input: process.stdin }).once("line", () => process.exit(0));
