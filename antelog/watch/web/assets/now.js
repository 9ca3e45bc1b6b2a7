"use strict";
/* The view Now: its number in the title of the tab, the worst severity on its icon; keys on cards, dots and cells. */

const due = {
  chosen: "",

  /* What a tab says while it is not looked at. */
  tell(number, worst, title) {
    document.title = `${number ? `(${number}) ` : ""}${title} – antelog`;
    const icon = document.querySelector("link[rel=icon]"), base = icon.href.replace(/icon(-\w+)?\.svg$/, "");
    const wanted = `${base}icon${number && worst ? `-${worst}` : ""}.svg`;
    if (icon.href !== wanted) icon.href = wanted;
  },

  shown() {
    const box = document.querySelector(".due-now");
    if (box) { this.number = Number(box.dataset.number); this.worst = box.dataset.worst; }
    this.tell(this.number, this.worst, box ? byId("program").textContent || "Now" : view.querySelector("h1")?.textContent || here().path);
    this.mark();
  },

  /* ---- cards and rows: j and k go from one to the next; what acts are about is the one with the focus ---- */
  get cards() { return [...document.querySelectorAll("#cards [data-group]")]; },
  get current() {
    return document.activeElement?.closest("#cards [data-group]") || document.querySelector("#cards [data-group]:hover") || this.cards[0];
  },
  mark() { for (const each of this.cards) each.classList.toggle("selected", Boolean(this.chosen) && each.dataset.group === this.chosen); },
  move(by) {
    const cards = this.cards, at = cards.findIndex((each) => each.contains(document.activeElement));
    const next = cards[Math.min(cards.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
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
  document.addEventListener(on, (event) => { const dot = event.target.closest?.("#dots a"); if (dot) due.point(dot); });
  document.addEventListener(off, (event) => { if (event.target.closest?.("#dots a")) due.point(document.activeElement?.closest("#dots a")); });
}
document.addEventListener("click", (event) => {
  const cell = event.target.closest(".map i.c[title]");
  if (cell) go(`${root}/decided?text=${encodeURIComponent(cell.title.split(": silent since")[0])}`);
});
document.addEventListener("keydown", (event) => {
  const dot = event.target.closest?.("#dots a");
  if (dot && event.key.startsWith("Arrow")) { event.preventDefault(); event.stopPropagation(); due.walk(dot, event.key); }
}, true);
