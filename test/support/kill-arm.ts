/** The process of one run of an arena, bundled, so that a test can start and kill it quickly. */
import { armProcess } from "../../src/arena/arm-command.ts";

await armProcess(process.argv.slice(2));
