/** What --outcome takes; "none" where nobody has judged yet. Kept apart from the list, so that help stays quick. */
export const OUTCOMES = ["success", "failure", "none"] as const;
