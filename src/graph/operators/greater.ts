/** Whether the left value is larger, with broadcasting. A truth value has no gradient. */
import { comparison } from "../frames.ts";

export const greater = comparison("Greater");
