"use strict";
/* The view Now: keys on cards, dots and cells. */

const cards = {
  /* ---- cards and rows: j and k go from one to the next; what acts are about is the one with the focus ---- */
  get all() { return [...document.querySelectorAll("#cards [data-group]")]; },
  get current() {
    return document.activeElement?.closest("#cards [data-group]") || document.querySelector("#cards [data-group]:hover") || this.all[0];
  },
  move(by) {
    const all = this.all, at = all.findIndex((each) => each.contains(document.activeElement));
    const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    if (!next) return;
    next.querySelector("a").focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  },

  /* ---- dots: arrow keys go to the nearest one in a direction ---- */
  walk(from, key) {
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key], spot = (each) => each.getBoundingClientRect();
    const here = spot(from), far = (each) => { const to = spot(each), x = to.x - here.x, y = to.y - here.y, along = x * dx + y * dy; return along > 0 || (along === 0 && from.compareDocumentPosition(each) & 4) ? along + 3 * Math.abs(x * dy + y * dx) + 0.01 : Infinity; };
    const next = [...from.parentNode.querySelectorAll("a")].filter((each) => each !== from).map((each) => [far(each), each]).sort((one, other) => one[0] - other[0])[0];
    if (!next || next[0] === Infinity) return;
    from.setAttribute("tabindex", "-1");
    next[1].removeAttribute("tabindex");
    next[1].focus();
  },
  point(dot) { const box = byId("pointed"); if (box) box.textContent = dot?.querySelector("title").textContent || "\u00a0"; },
};

for (const [on, off] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  document.addEventListener(on, (event) => { const dot = event.target.closest?.("#dots a"); if (dot) cards.point(dot); });
  document.addEventListener(off, (event) => { if (event.target.closest?.("#dots a")) cards.point(document.activeElement?.closest("#dots a")); });
}
document.addEventListener("click", (event) => {
  const cell = event.target.closest(".cells i[title]");
  if (cell) go(`${root}/decided?text=${encodeURIComponent(cell.title.split(": silent since")[0])}`);
});
document.addEventListener("keydown", (event) => {
  const dot = event.target.closest?.("#dots a");
  if (dot && event.key.startsWith("Arrow")) { event.preventDefault(); event.stopPropagation(); cards.walk(dot, event.key); }
}, true);
