"use strict";
/* Rules and facts beside the views: what is edited is run at once, and the slider says at which tick to look. */

const EDITS = "/api/bench";

const bench = {
  found: { ticks: [], labels: [], changing: [], tick: null }, edition: 0, files: [],

  async begin() {
    const first = await (await ask(EDITS)).json();
    this.files = first.files;
    editor.begin(byId("rules"), first.program, first.keywords, () => this.edit());
    sheets.begin(() => this.edit());
    byId("save").hidden = !first.files.length;
    const lessons = byId("lessons");
    lessons.append(...first.lessons.map((name, at) => new Option(`${at + 1}. ${name}`, name)));
    lessons.value = first.lesson;
    lessons.parentElement.hidden = !first.lessons.length;
    // Drafts have few answers: each is a row of its own.
    if (here().name === "now" && !location.search) history.replaceState(null, "", `${root}/list?group=none`);
    lessons.addEventListener("change", () => this.open(lessons.value));
    byId("save").addEventListener("click", () => this.save());
    byId("share").addEventListener("click", () => this.share());
    byId("moment").addEventListener("input", (event) => this.look(this.found.ticks[event.target.value]));
    byId("earlier").addEventListener("click", () => this.step(-1));
    byId("later").addEventListener("click", () => this.step(1));
    addEventListener("keydown", (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); if (this.files.length) this.save(); } });
    addEventListener("beforeunload", (event) => { if (this.unsaved) event.preventDefault(); });
    this.take(first, true);
  },

  /* A moment after the last key, what is there is run. */
  edit() {
    if (this.quiet) return;
    this.unsaved = this.files.length > 0;
    byId("saved").textContent = this.unsaved ? "not saved" : "";
    clearTimeout(this.later);
    this.later = setTimeout(() => this.run(), 250);
  },

  async run() {
    const edition = ++this.edition;
    const found = await this.post({ program: editor.text, tables: sheets.tables });
    if (found && edition === this.edition) this.take(found, false);
  },

  async post(edit) {
    const answer = await ask(EDITS, undefined, edit), found = await answer.json();
    if (answer.ok) return found;
    if (answer.status !== 400) byId("saved").textContent = found.error;
    return null;
  },

  async open(lesson) {
    if (!lesson) return;
    const found = await this.post({ lesson });
    if (!found) return;
    this.quiet = true;
    editor.text = found.program;
    this.quiet = false;
    this.take(found, true);
  },

  take(found, anew) {
    this.found = found;
    sheets.aside = found.aside;
    sheets.take(found.tables, anew);
    sheets.mark();
    editor.mark(found.problems);
    byId("problems").replaceChildren(...found.problems.map((each) => this.problem(each)), ...found.notes.map((message) => this.problem({ severity: "note", message })));
    byId("bench").dataset.wrong = found.problems.some((each) => each.severity === "error") ? "yes" : "no";
    this.slide();
    load();
  },

  problem({ severity, message, hint, line, column, file }) {
    const item = document.createElement("li"), words = Object.assign(document.createElement(line && !file ? "button" : "span"), { textContent: `${file ? `${file}, ` : ""}${line ? `line ${line}: ` : ""}${message}` });
    item.className = severity === "error" ? "critical" : severity === "warning" ? "warning" : "";
    if (line && !file) { words.type = "button"; words.addEventListener("click", () => editor.go(line, column)); }
    item.append(words);
    if (hint) item.append(Object.assign(document.createElement("span"), { className: "hint", textContent: hint }));
    return item;
  },

  /* ---- time ---- */

  slide() {
    const { ticks, labels, changing, tick } = this.found, at = Math.max(0, ticks.indexOf(tick)), range = byId("moment");
    range.max = Math.max(0, ticks.length - 1);
    range.value = at;
    range.disabled = ticks.length < 2;
    range.setAttribute("aria-valuetext", labels[at] ?? "no time yet");
    byId("earlier").disabled = at === 0;
    byId("later").disabled = at >= ticks.length - 1;
    byId("at").textContent = ticks.length ? (labels[at] === String(ticks[at]) ? `tick ${ticks[at]}` : labels[at]) : "no facts yet";
    const marks = new Set(changing);
    byId("changes").replaceChildren(...ticks.slice(0, 400).map((each) => {
      const mark = document.createElement("i");
      mark.className = marks.has(each) ? "changes" : "";
      return mark;
    }));
  },

  async look(tick) {
    this.found.tick = tick;
    this.slide();
    if (this.looking) { this.waiting = tick; return; }
    this.looking = true;
    for (let next = tick; next !== null; next = this.waiting ?? null) {
      this.waiting = null;
      await this.post({ tick: next });
    }
    this.looking = false;
    load();
  },

  step(by) {
    const next = this.found.ticks[this.found.ticks.indexOf(this.found.tick) + by];
    if (next !== undefined) this.look(next);
  },

  /* ---- files ---- */

  async save() {
    await this.run();
    const found = await this.post({ save: true });
    if (!found) return;
    this.unsaved = false;
    byId("saved").textContent = `saved ${found.saved.map((each) => each.split("/").pop()).join(", ")}`;
  },

  async share() {
    const blob = await (await ask("/export/shared.html")).blob();
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${(state?.program || "rules").replace(/\.alog$/, "")}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  },
};
