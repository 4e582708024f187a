/** The little that needs a script: the numbers of a word in a bar below, for fingers, which cannot hover. */
export const SCRIPT = `
const bar = document.getElementById("readout");
const show = (event) => {
  const word = event.target.closest(".words i");
  if (word === null) return;
  document.querySelector(".words i.held")?.classList.remove("held");
  word.classList.add("held");
  bar.textContent = word.title;
  bar.hidden = false;
};
document.addEventListener("click", show);
document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") show(event); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") bar.hidden = true; });
`;
