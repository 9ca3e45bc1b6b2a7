"use strict";
/* The time machine: `?at=TICK` shows the page as it was at a tick. Nothing can be done there but look. */

const MOMENTS = 5_000;  // milliseconds between two questions for what was decided since, at least
const SPANS = { hour: 3600, day: 86_400, "7 days": 604_800 };  // in seconds
const TICKS = { "100 ticks": 100, "1000 ticks": 1000, "10000 ticks": 10_000 };  // where a tick has no length
const MARKS = 480;  // of a kind beside each other, at most

const moments = {
  data: null, asked: 0, running: false, busy: false, wanted: undefined, span: null,

  /* The tick that is looked at; null for now. */
  get at() { const given = new URLSearchParams(location.search).get("at"); return /^\d{1,18}$/.test(given || "") ? Number(given) : null; },
  get box() { return byId("moments"); },

  begin() {
    if (!this.box) return;
    byId("hand").addEventListener("input", (event) => { this.running = false; this.seek(Number(event.target.value)); });
    byId("replay").addEventListener("click", () => this.replay());
    byId("share").addEventListener("click", () => this.share());
    byId("film").addEventListener("click", () => this.film());
    byId("span").addEventListener("change", (event) => { this.span = event.target.value; this.data = null; this.read(); });
    addEventListener("resize", () => this.draw());
    setInterval(() => { if (!document.hidden && state && state.reached !== this.reached && Date.now() > this.asked + MOMENTS) this.read(); }, 500);
    // In the past nobody acts.
    document.addEventListener("click", (event) => { if (this.at !== null && event.target.closest("[data-act]")) { event.preventDefault(); event.stopPropagation(); } }, true);
    document.addEventListener("keydown", (event) => this.key(event), true);
  },

  key(event) {
    const typing = event.target.matches("input:not([type=checkbox], [type=range]), select, textarea, [data-typing]");
    if (typing || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
    const keys = { c: () => this.share(), t: () => byId("hand").focus(), ",": () => this.step(-1), ".": () => this.step(1) };
    if (this.at !== null && "asn".includes(event.key)) event.stopPropagation();
    else if (this.data && !this.box.hidden && keys[event.key]) { event.preventDefault(); event.stopPropagation(); keys[event.key](); }
  },

  /* After each view: whether it is of the past, and links that stay there. */
  show() {
    const past = this.at !== null;
    document.body.classList.toggle("then", past);
    for (const link of document.querySelectorAll("nav a, .brand, main a[href^='/']")) {
      const to = new URL(link.getAttribute("href"), location.href);
      if (to.searchParams.has("at") === past && !link.matches("nav a")) continue;
      past ? to.searchParams.set("at", this.at) : to.searchParams.delete("at");
      link.setAttribute("href", to.pathname + to.search);
    }
    if (this.box) this.box.hidden = !this.data || (!["now", "list"].includes(here().name) && !past);
    this.draw();
  },

  /* The ticks of each stretch that may be chosen: one is enough if the feed does not go back further. */
  spans(found) {
    const every = found.length === null ? TICKS : SPANS, ticks = (n) => found.length === null ? n : Math.max(10, Math.floor(n * 1_000_000 / found.length));
    let before = 0;
    const all = Object.entries(every).map(([name, n]) => ({ name, ticks: ticks(n), before })).map((each) => { each.before = before; before = each.ticks; return each; });
    return all.filter((each) => !each.before || found.tick - found.first > each.before);
  },

  /* Asks for what was decided: all of the stretch, or only what came since. */
  async read() {
    this.asked = Date.now();
    const before = this.data, reached = state?.reached;
    try {
      let from = 0, wide = 1, spans = before?.spans;
      if (!before) {  // how long a tick is comes first
        const found = await this.asking({ after: 999_999_999_999_999 });
        if (!found || found.first === null || found.tick === null) return;
        spans = this.spans(found);
        const span = spans.find((each) => each.name === this.span) || spans[0];
        from = Math.max(found.first, found.tick - span.ticks);
        wide = Math.max(1, Math.ceil((found.tick - from) / MARKS));
      } else { wide = before.wide; from = Math.floor(before.tick / wide) * wide; }
      const found = await this.asking({ after: Math.max(0, from - 1), wide });
      if (!found) return;
      spans = this.spans(found);
      const span = spans.find((each) => each.name === this.span) || spans[0], low = Math.max(found.first, found.tick - span.ticks);
      if (before) found.marks.push(...before.marks.filter((each) => each.tick < from && each.tick >= low));
      this.reached = reached;
      this.data = { ...found, length: found.length && found.length / 1000, low, wide, spans, span: span.name };
      this.show();
    } catch (error) { if (error.message !== "locked") lost(); }
  },

  async asking(given) { const answer = await ask(`/api/moments?${new URLSearchParams(given)}`); return answer.ok ? answer.json() : null; },

  draw() {
    if (!this.data || this.box.hidden) return;
    const { low, tick, span, spans } = this.data, at = this.at ?? tick, hand = byId("hand"), choice = byId("span");
    Object.assign(hand, { min: Math.min(low, at), max: tick });
    if (Number(hand.value) !== at && !this.busy) hand.value = at;
    hand.setAttribute("aria-valuetext", this.at === null ? "now" : track.text(this.data, at));
    if (choice.length !== spans.length) choice.replaceChildren(...spans.map(({ name }) => new Option(`last ${name}`, name)));
    choice.value = span;
    choice.parentNode.hidden = spans.length < 2;
    byId("score").textContent = track.said(this.data, at);
    byId("replay").textContent = this.running ? "■ Stop" : this.at === null ? `▶ Replay ${track.span(this.data, tick - this.start)}` : `▶ Replay from ${track.text(this.data, at)}`;
    track.draw(byId("track"), this.data, at);
  },

  /* Where a replay begins: at the hand, or a quarter of the stretch ago. */
  get start() { return this.at ?? Math.max(this.data.low, this.data.tick - Math.round((this.data.tick - this.data.low) / 4)); },

  /* Goes to a tick; while a view is on its way the last wish waits. */
  async seek(tick) {
    if (this.busy) { this.wanted = tick; return; }
    this.busy = true;
    const to = new URL(location.href), past = this.at !== null;
    tick === null || tick >= this.data.tick ? to.searchParams.delete("at") : to.searchParams.set("at", Math.max(this.data.first, tick));
    past ? history.replaceState(null, "", to) : history.pushState(null, "", to);
    this.draw();
    await load();
    this.busy = false;
    if (this.wanted !== undefined) { const next = this.wanted; this.wanted = undefined; await this.seek(next); }
    this.draw();
  },

  /* To what was decided before the moment that is shown, or after it. */
  step(way) {
    const at = this.at ?? this.data.tick, ticks = this.data.marks.map((each) => each.tick).filter((tick) => way * (tick - at) > 0);
    this.seek(ticks.length ? way > 0 ? Math.min(...ticks) : Math.max(...ticks) : way > 0 ? null : this.data.low);
  },

  async replay() {
    if (this.running) { this.running = false; this.draw(); return; }
    this.running = true;
    let tick = this.start;
    const step = Math.max(1, Math.round((this.data.tick - tick) / 200));
    for (; this.running && tick < this.data.tick; tick += step) {
      const began = Date.now();
      await this.seek(tick);
      await new Promise((done) => setTimeout(done, Math.max(30, 120 - (Date.now() - began))));
    }
    if (this.running) { this.running = false; await this.seek(null); }
    this.draw();
  },

  /* The link to this moment; where the clipboard is closed, the address of the page becomes it. */
  async share() {
    const to = new URL(location.href), button = byId("share"), before = button.innerHTML;
    to.searchParams.set("at", this.at ?? this.data.tick);
    let words = "Link copied";
    try { await navigator.clipboard.writeText(to.href); }
    catch { words = "It is in the address bar"; if (this.at === null) await this.seek(this.data.tick - 1); }
    byId("said").textContent = words;
    if (!button.dataset.busy) { button.dataset.busy = "yes"; button.textContent = words; setTimeout(() => { button.innerHTML = before; delete button.dataset.busy; }, 2500); }
  },

  /* One file that plays the stretch without a server: from the hand on, or all that the track shows. */
  async film() {
    const button = byId("film"), words = button.innerHTML, { low, tick } = this.data;
    button.disabled = true;
    try {
      const made = await filming.made(this.at ?? low, tick, this.data, (share) => { button.textContent = `Filming ${Math.round(100 * share)} %`; });
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(made), download: "antelog-film.html" });
      link.click();
      byId("said").textContent = "The film is saved";
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) { if (error.message !== "locked") byId("said").textContent = `The film could not be made: ${error.message}`; }
    button.disabled = false;
    button.innerHTML = words;
  },
};
moments.begin();
