/** Keys that do something, and the list of them that "?" shows. A page adds its own while it is open. */
import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { createKeyReader } from "./key-reader.ts";

export interface Shortcut {
  /** One key, or two after each other: "g r". */
  readonly keys: string;
  readonly meaning: string;
  /** What the list calls it, where one line stands for several keys; "" leaves it out. */
  readonly label?: string;
  readonly run: () => void;
}

interface Section {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

interface Registry {
  readonly add: (section: { readonly current: Section }) => () => void;
  readonly help: () => void;
}

const RegistryContext = createContext<Registry>({ add: () => () => undefined, help: () => undefined });

export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const registry = useContext(RegistryContext);
  const section = useRef<Section>({ title, shortcuts });
  section.current = { title, shortcuts };
  useEffect(() => registry.add(section), [registry]);
}

export function useHelp(): () => void {
  return useContext(RegistryContext).help;
}

export function ShortcutProvider({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [open, setOpen] = useState(false);
  const sections = useRef(new Set<{ readonly current: Section }>());
  const registry = useMemo<Registry>(
    () => ({
      add: (section) => {
        sections.current.add(section);
        return () => sections.current.delete(section);
      },
      help: () => setOpen(true),
    }),
    [],
  );

  useEffect(() => {
    const read = createKeyReader();
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isWriting(event.target) || document.querySelector("dialog[open]") !== null) return;
      // Later sections are those of the page; they win over those of the frame.
      const all = [...sections.current].reverse().flatMap((section) => section.current.shortcuts);
      const hit = read(
        event.key,
        event.timeStamp,
        all.map((one) => one.keys),
      );
      if (hit === undefined) return;
      event.preventDefault();
      all.find((one) => one.keys === hit)?.run();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  return (
    <RegistryContext.Provider value={registry}>
      {children}
      {open && (
        <ShortcutHelp sections={[...sections.current].map(({ current }) => current)} close={() => setOpen(false)} />
      )}
    </RegistryContext.Provider>
  );
}

function ShortcutHelp(props: { readonly sections: readonly Section[]; readonly close: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={props.close} aria-labelledby="shortcuts-title">
      <h2 id="shortcuts-title">Keys</h2>
      {props.sections.map((section) => (
        <section key={section.title} aria-label={section.title}>
          <h3 class="soft">{section.title}</h3>
          <dl class="shortcuts">
            {section.shortcuts
              .filter(({ label }) => label !== "")
              .map(({ keys, label = keys, meaning }) => [
                <dt key={`${keys} key`}>
                  {label.split(" ").map((key, at) => (
                    <span key={key}>
                      {at > 0 && " then "}
                      <kbd>{key}</kbd>
                    </span>
                  ))}
                </dt>,
                <dd key={`${keys} meaning`}>{meaning}</dd>,
              ])}
          </dl>
        </section>
      ))}
      <form method="dialog">
        <button class="button" type="submit">
          Close <kbd>Esc</kbd>
        </button>
      </form>
    </dialog>
  );
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
