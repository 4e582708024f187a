/** Title of a page, what it is about, and what can be done there. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { visibleLine } from "../text/visible-text.ts";

export interface PageHeadProps {
  readonly title: string;
  readonly crumbs?: readonly { readonly label: string; readonly href: string }[];
  readonly lead?: ComponentChildren;
  readonly badge?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function PageHead({ title, crumbs = [], lead, badge, children }: PageHeadProps): JSX.Element {
  const shown = visibleLine(title, 120);
  useEffect(() => {
    document.title = `${shown} · Limbeck`;
  }, [shown]);
  return (
    <div class="page-head">
      <div>
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label="Where this is">
            {crumbs.map(({ label, href }) => (
              <span key={href}>
                <a href={href}>{visibleLine(label, 60)}</a> ›
              </span>
            ))}
          </nav>
        )}
        <div class="row">
          <h1>{shown}</h1>
          {badge}
        </div>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="row">{children}</div>}
    </div>
  );
}
