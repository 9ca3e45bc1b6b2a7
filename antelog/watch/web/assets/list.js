"use strict";
/* A long list: only the rows in sight are in the page. Rows that move do so visibly, and not under the pointer. */

const still = matchMedia("(prefers-reduced-motion: reduce)");
const narrow = matchMedia("(max-width: 1200px)");
const EXTRA = 10, REST = 12_000;
const STEP = 10;  // rows are asked for in tens: the server renders once for all who see the same

const list = {
  busy: false, wanted: false, brief: false, selected: -1, chosen: "", pointed: 0,
  get box() { return byId("list"); },
  get height() { return parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 40; },
  get total() { return Number(byId("rows")?.dataset.total || 0); },
  get held() { return Boolean(this.box?.matches(":hover")) && Date.now() - this.pointed < REST; },

  /* As many rows as there is room for. What a reader waits for has these alone, and the others follow. */
  get sight() { return STEP * Math.ceil(innerHeight / (this.box ? this.height : 40) / STEP); },

  /* The rows in sight, and some before and after. */
  reach() {
    if (!this.box || this.brief) return { from: 0, count: this.sight };
    const above = Math.max(0, -this.box.getBoundingClientRect().top), from = STEP * Math.max(0, Math.floor((above / this.height - EXTRA) / STEP));
    return { from, count: Math.min(300, this.sight + 2 * EXTRA + STEP) };
  },

  begin() {
    this.choose(null);
    const form = byId("filters");
    if (!form) return;
    byId("more").open = !narrow.matches;
    form.addEventListener("input", (event) => { clearTimeout(this.later); this.later = setTimeout(() => this.filter(), event.target.type === "search" ? 40 : 0); });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.box.addEventListener("pointermove", () => { this.pointed = Date.now(); });
    this.box.addEventListener("pointerleave", () => { if (byId("paused")?.textContent) load(); });
    this.box.addEventListener("focusin", (event) => { const at = event.target.closest(".item")?.ariaPosInSet; if (at) this.choose(event.target.closest(".item")); });
  },

  filter() {
    const given = new URLSearchParams(new FormData(byId("filters")));
    for (const [name, value] of [...given]) if (!value || (name === "group" && value === "key") || (name === "sort" && value === "urgent")) given.delete(name, value);
    history.replaceState(null, "", `${location.pathname}${given.size ? "?" + given : ""}`);
    this.choose(null);
    this.pointed = 0;
    this.announce = true;
    if (this.box.getBoundingClientRect().top < 0) window.scrollTo(0, 0);
    this.brief = true;
    const loaded = load();
    this.brief = false;
    return loaded;
  },

  /* Places the rows where they belong in the whole list. */
  place() {
    const rows = byId("rows");
    if (!rows) return;
    const total = this.total, height = this.height;
    this.box.style.height = total ? `${total * height}px` : "auto";
    rows.style.transform = `translateY(${Number(rows.dataset.from) * height}px)`;
    this.mark();
    if (this.announce) { byId("said").textContent = byId("found")?.textContent || `${total} answers`; this.announce = false; }
  },

  /* Asks for other rows while the list is scrolled; one question at a time. */
  async fill() {
    if (!this.box) return;
    const { from, count } = this.reach(), rows = byId("rows"), begin = Number(rows?.dataset.from || 0);
    const last = Math.min(this.total, from + count);
    if (from >= begin - EXTRA / 2 && begin + rows.children.length >= last - EXTRA / 2 && (from || !begin)) return;
    if (this.busy) { this.wanted = true; return; }
    this.busy = true;
    const given = new URLSearchParams(location.search);
    given.set("from", from); given.set("count", count);
    try {
      const answer = await ask(`/part/${this.box.dataset.rows}?${given}`);
      if (answer.ok && this.box) { const text = await answer.text(); this.change(() => morph(byId("rows"), text)); }
    } catch (error) { if (error.message !== "locked") lost(); }
    this.busy = false;
    if (this.wanted) { this.wanted = false; this.fill(); }
  },

  /* Changes rows, and lets those that move be seen to move. */
  change(how) {
    const before = this.spots(), from = byId("rows")?.dataset.from;
    how();
    this.place();
    if (still.matches || !before.size || byId("rows")?.dataset.from !== from) return;
    for (const [id, top] of this.spots()) {
      const row = byId(id), moved = (before.get(id) ?? top) - top;
      if (!before.has(id)) row.animate([{ opacity: 0 }, { opacity: 1 }], 500);
      else if (moved) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 450, easing: "ease-in-out" });
    }
  },
  spots() { return new Map([...this.box?.querySelectorAll(".item") || []].map((row) => [row.id, row.offsetTop])); },

  /* While the pointer is on the list its rows keep their places: what is new waits, what is gone is dimmed. */
  hold(made) {
    const rows = made.querySelector("#rows"), old = byId("rows");
    if (!rows || !old || rows.dataset.from !== old.dataset.from) return;
    const found = new Map([...rows.children].map((row) => [row.id, row])), before = [...old.children];
    const waiting = [...found.keys()].filter((id, at) => before[at]?.id !== id).length;
    if (!waiting) return;
    rows.replaceChildren(...before.map((row, at) => {
      const kept = found.get(row.id) || row.cloneNode(true);
      if (!found.has(row.id)) kept.classList.add("gone");
      kept.setAttribute("aria-posinset", Number(rows.dataset.from) + at + 1);
      return kept;
    }));
    rows.dataset.total = old.dataset.total;
    const note = made.querySelector("#paused");
    if (note) note.textContent = `The list waits while you point at it: ${waiting} ${waiting === 1 ? "change" : "changes"} to come. `;
  },

  /* The chosen row: it stays the same one where it moves. */
  choose(item) {
    this.selected = item ? item.ariaPosInSet - 1 : -1;
    this.chosen = item?.id || "";
  },

  mark() {
    const item = this.chosen && byId(this.chosen);
    if (item) this.selected = item.ariaPosInSet - 1;
    for (const item of this.box.querySelectorAll(".item")) item.classList.toggle("selected", item.ariaPosInSet - 1 === this.selected);
  },

  async move(by) {
    if (!this.total) return;
    this.selected = Math.min(this.total - 1, Math.max(0, this.selected + by));
    this.chosen = "";
    const top = this.box.getBoundingClientRect().top + scrollY + this.selected * this.height, low = innerHeight - this.height - 80;
    if (top < scrollY + 160) window.scrollTo(0, top - 160);
    else if (top > scrollY + low) window.scrollTo(0, top - low);
    await this.fill();
    this.mark();
    this.choose(this.current || { ariaPosInSet: this.selected + 1 });
    this.current?.querySelector("a.row").focus({ preventScroll: true });
  },
  get current() { return this.box?.querySelector(`[aria-posinset="${this.selected + 1}"]`); },
  toggle(open) {
    const toggle = this.current?.querySelector(".toggle");
    if (toggle && (toggle.ariaExpanded === "true") !== open) toggle.click();
  },
};

narrow.addEventListener("change", () => { if (byId("more")) byId("more").open = !narrow.matches; });
