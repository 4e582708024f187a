/** The option `--experts`, apart from what reads it, so that help stays quick. */
import type { Option } from "../command.ts";
import { text } from "../options.ts";

export const expertsOption: Option = text("FILE", "Experts that the policy can ask, at a price: docs/orchestrate.md");
