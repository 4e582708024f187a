/** The option `--experts`, apart from what reads it, so that help stays quick. */
import type { Option } from "../command.ts";

export const expertsOption: Option = {
  type: "string",
  value: "FILE",
  summary: "Experts that the policy can ask, at a price: docs/orchestrate.md",
};
