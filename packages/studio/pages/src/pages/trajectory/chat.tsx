/** Messages of a chat. A tool's call and its result are one line each, and open where one wants to see more. */
import type { JSX } from "preact";
import type { ChatMessage } from "../../../../src/serve/api.ts";
import { InertText } from "../../parts/inert-text.tsx";
import { visibleLine } from "../../text/visible-text.ts";

/** A result of so many letters is shown at once. */
const SHORT = 240;

export function Chat({ message }: { readonly message: ChatMessage }): JSX.Element {
  if (message.role === "tool") return <ToolResult message={message} />;
  return (
    <div class="chat">
      <span class="role">{visibleLine(message.role, 20)}</span>
      <InertText text={message.content} />
      <ToolCalls message={message} />
    </div>
  );
}

function ToolResult({ message }: { readonly message: ChatMessage }): JSX.Element {
  const { content, tool, error } = message;
  return (
    <details class="call result" open={error || content.length <= SHORT}>
      <summary>
        result{tool !== null && <> of {visibleLine(tool, 80)}</>}
        {error && <span class="badge bad">error</span>}
        <span class="preview soft"> {visibleLine(content.text, 100)}</span>
      </summary>
      <InertText text={content} />
    </details>
  );
}

export function ToolCalls({ message }: { readonly message: ChatMessage }): JSX.Element {
  return (
    <>
      {message.toolCalls.map((call) => (
        <details class="call" key={call.id}>
          <summary>
            <b>{visibleLine(call.name, 80)}</b>
            <span class="preview soft"> {visibleLine(call.arguments.text.replaceAll(/\s+/g, " "), 120)}</span>
          </summary>
          <InertText text={call.arguments} />
        </details>
      ))}
    </>
  );
}
