/** Whether two values are equal, with broadcasting. A truth value has no gradient. */
import { comparison } from "../frames.ts";

export const equal = comparison("Equal");
