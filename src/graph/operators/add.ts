/** Sum, with broadcasting. d(a + b) = da + db. */
import { binary } from "../frames.ts";

export const add = binary("Add", ({ change }) => [change, change]);
