"use strict";
/* The time machine: `?at=TICK` shows the page as it was at a tick. Nothing can be done there but look. */

const MOMENTS = 5_000;  // milliseconds between two questions for what was decided since, at least

const moments = {
  data: null, asked: 0, running: false, busy: false, wanted: undefined, span: "",

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
    setInterval(() => { if (!document.hidden && state && state.tick !== this.data?.tick && Date.now() > this.asked + MOMENTS) this.read(); }, 500);
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
    for (const link of document.querySelectorAll("nav a, .brand")) {
      const to = new URL(link.href);
      past ? to.searchParams.set("at", this.at) : to.searchParams.delete("at");
      link.href = to;
    }
    if (this.box) this.box.hidden = !(this.data?.first ?? null) && this.data?.first !== 0 || (here().name !== "now" && !past);
    this.draw();
  },

  /* Asks for what was decided: all of the stretch, or only what came since. */
  async read() {
    this.asked = Date.now();
    const before = this.data, given = new URLSearchParams(this.span ? { span: this.span } : {});
    const from = before ? Math.floor(before.tick / before.wide) * before.wide : null;
    if (from !== null) given.set("after", from - 1);
    try {
      const answer = await ask(`/api/moments?${given}`);
      if (!answer.ok) return;
      const found = await answer.json();
      if (found.first !== null && from !== null) found.marks.push(...before.marks.filter((each) => each.tick < from && each.tick >= found.low));
      this.data = found.first === null ? null : found;
      this.show();
    } catch (error) { if (error.message !== "locked") lost(); }
  },

  draw() {
    if (!this.data || this.box.hidden) return;
    const { low, tick, span, spans } = this.data, at = this.at ?? tick, hand = byId("hand"), choice = byId("span");
    Object.assign(hand, { min: Math.min(low, at), max: tick });
    if (Number(hand.value) !== at && !this.busy) hand.value = at;
    hand.setAttribute("aria-valuetext", this.at === null ? "now" : track.text(this.data, at));
    if (choice.length !== spans.length) choice.replaceChildren(...spans.map((name) => new Option(`last ${name}`, name)));
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
    const button = byId("film"), words = button.textContent;
    button.disabled = true;
    button.textContent = "Filming …";
    try {
      const answer = await ask(`/export/film.html?from=${this.at ?? this.data.low}&to=${this.data.tick}`);
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await answer.blob()), download: "antelog-film.html" });
      if (answer.ok) link.click();
      byId("said").textContent = answer.ok ? "The film is saved" : "The film could not be made";
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) { if (error.message !== "locked") lost(); }
    button.disabled = false;
    button.textContent = words;
  },
};
moments.begin();
