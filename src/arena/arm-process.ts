/**
 * The process of one run. It can be bundled and started by itself:
 *
 *     node run-arm.mjs plan.json ARM SEED OUTDIR [--allow-commands] [--allow-addresses]
 *
 * and ends with 0 when the run is over, whether it was already or has become so.
 */
import { armProcess } from "./arm-command.ts";

await armProcess(process.argv.slice(2));
