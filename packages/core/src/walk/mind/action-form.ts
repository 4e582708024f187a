/** How an answer is read as an action, and how an action is written as an answer. */
export interface ActionForm {
  read(answer: string): ReadAction;
  write(action: string): string;
  /** The action, as soon as the answer so far names it, whatever follows. Forms lack it whose action comes last. */
  early?(said: string): string | undefined;
}

export interface ReadAction {
  /** The empty action, which every world refuses by its own rule, when the answer could not be read. */
  readonly action: string;
  readonly readable: boolean;
}

const UNREADABLE: ReadAction = { action: "", readable: false };

/** The answer is the action. Space around it does not count; an empty answer is unreadable. */
export const plainForm: ActionForm = {
  read: (answer) => {
    const action = answer.trim();
    return action === "" ? UNREADABLE : { action, readable: true };
  },
  write: (action) => action,
};

/**
 * The action stands between `<action>` and `</action>`, once, after whatever was thought. An answer without the tags,
 * with several actions or with an empty one is unreadable: guessing would reward a form that was not asked for.
 */
export const taggedForm: ActionForm = {
  read: (answer) => {
    const parts = answer.split("<action>");
    const [inside, ...rest] = parts.length === 2 ? (parts[1] as string).split("</action>") : [""];
    const action = (inside ?? "").trim();
    return action === "" || rest.length !== 1 ? UNREADABLE : { action, readable: true };
  },
  write: (action) => `<action>${action}</action>`,
};

/**
 * The first line is the action, what follows are thoughts (the order of DLLM-Searcher): the world can be called while they are sampled.
 * Empty lines before it do not count.
 */
export const callFirstForm: ActionForm = {
  read: (answer) => plainForm.read(answer.trimStart().split("\n", 1)[0] as string),
  write: (action) => action,
  early: (said) => {
    const [first, ...rest] = said.trimStart().split("\n");
    return rest.length === 0 ? undefined : plainForm.read(first as string).action;
  },
};

const THOUGHT_END = "</think>";

/** The same form, read after the thoughts. Thoughts that were begun and never ended hold no action. */
export function afterThoughts(form: ActionForm): ActionForm {
  return {
    read: (answer) => {
      const end = answer.lastIndexOf(THOUGHT_END);
      if (end >= 0) return form.read(answer.slice(end + THOUGHT_END.length));
      return answer.includes("<think>") ? UNREADABLE : form.read(answer);
    },
    write: (action) => form.write(action),
  };
}

export const actionForms = {
  plain: plainForm,
  tagged: taggedForm,
  "call-first": callFirstForm,
} as const satisfies Record<string, ActionForm>;
