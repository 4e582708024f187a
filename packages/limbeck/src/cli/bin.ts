#!/usr/bin/env node
import { main } from "./index.ts";
import { runProcess } from "./process-io.ts";

await runProcess(main);
