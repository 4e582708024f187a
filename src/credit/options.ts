/** Option tables, as every registry has them. */
export {
  allowedValues,
  parseOption,
  resolveOptions,
  type OptionTable,
  type OptionValue,
  type OptionValues,
} from "../base/options.ts";
