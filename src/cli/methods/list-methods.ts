/** Every method as a table, or one JSON object a method. */
import { followsWords, isExperimental } from "../../base/method-info.ts";
import { unlearnedWorlds } from "../../training/unlearned.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable } from "../look/table.ts";
import { plural } from "../look/units.ts";
import { allMethods, type Method } from "./all-methods.ts";

export async function listMethods(invocation: Invocation): Promise<number> {
  const room = invocation.text("room");
  const shown = allMethods().filter((method) => (room ?? method.room) === method.room);
  if (invocation.json) {
    for (const method of shown) {
      const { id, room: own, title, paper, confidence, needs, mayNeed, meaning } = method;
      const experimental = isExperimental(method);
      const unlearned = unlearnedWorlds(own, id);
      invocation.printJson({
        id,
        room: own,
        title,
        paper,
        confidence,
        experimental,
        needs,
        mayNeed,
        unlearned,
        meaning,
      });
    }
    return EXIT.done;
  }
  const { style } = invocation;
  printTable(
    invocation,
    [
      { title: "method", paint: style.bold },
      { title: "room", paint: style.cyan },
      "from",
      "needs",
      "meaning",
      { title: "paper", paint: style.dim },
    ],
    shown.map((method) => [
      method.id,
      method.room,
      followsWords(method),
      method.needs.join(", ") || "-",
      method.meaning,
      method.paper ?? "-",
    ]),
    { piped: 200 },
  );
  invocation.print();
  const from = (confidence: Method["confidence"]): number =>
    shown.filter((method) => method.confidence === confidence).length;
  invocation.print(
    `${plural(shown.length, "method")}: ${from("code")} follow published code, ${from("paper")} a paper, ${from("inferred")} an abstract (experimental), ${from("practice")} common practice`,
  );
  const harmful = shown.filter(({ room: own, id }) => unlearnedWorlds(own, id).length > 0).map(({ id }) => id);
  if (harmful.length > 0) {
    invocation.print(`Have unlearned a world at their defaults (docs/matrix.md): ${harmful.join(", ")}`);
  }
  invocation.note(style.dim("limbeck explain NAME tells all about one."));
  return EXIT.done;
}
