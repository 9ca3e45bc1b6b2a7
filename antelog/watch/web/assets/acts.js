"use strict";
/* What people do about a group: acknowledge, snooze, note; and what they say went wrong, or did not. Their name is kept in the browser. */

const NAME = "antelog name";
const WORDS = {
  acknowledged: ["Acknowledge", "All readers see that you take care of it, and alerts keep to it, until the last of its answers is settled."],
  snoozed: ["Snooze", "No alerts about it for a while, but for a higher severity and what is confirmed."],
  noted: ["Note", "All readers see it."],
  ended: ["End", "What is lost from sight of it is decided as lost, and its alerts are resolved: nobody knows what became of it."],
  incident: ["Add an incident", "It is added to the list of incidents, by which Trust judges all answers: also what no rule has seen."],
  false: ["False alarm", "The list of incidents gets a row that says that nothing went wrong."],
};
const LISTED = ["incident", "false"]; // what goes into the list of incidents

const acts = {
  may: false, about: null,

  begin() {
    const form = byId("act-form");
    document.body.dataset.acts = this.may ? "yes" : "no";
    if (!this.may) return;
    form.addEventListener("keydown", (event) => {
      const done = event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.matches("select"));
      if (done) { event.preventDefault(); form.requestSubmit(); }
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.done(new FormData(form)); });
    byId("act-cancel").addEventListener("click", () => byId("act").close());
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-act]"), item = button?.closest("[data-group]");
      if (item) this.start(item, button.dataset.act);
    });
  },

  /* A key on the row that is chosen, or pointed at; in the view of an answer on its group. */
  key(kind) {
    const item = byId("cards") ? cards.current : list.box ? list.current || list.box.querySelector(".item:hover") : document.querySelector(".answer [data-group]");
    if (!this.may || !item?.dataset.group) return;
    // What is taken care of goes down: the next row is the one to look at, unless it was not done.
    const next = item.nextElementSibling || item.previousElementSibling, moves = list.box && kind !== "noted" && item === list.current && next;
    this.start(item, kind, () => { if (moves && next.isConnected) { list.choose(next); list.mark(); next.querySelector("a.row")?.focus({ preventScroll: true }); } });
  },

  /* What is there already is taken back, but for notes; with a name known, to acknowledge takes one key. */
  start(item, kind, after = () => {}) {
    const group = item.dataset.group, who = localStorage.getItem(NAME) || "";
    if (kind !== "noted" && item.querySelector(`.act.${kind}`)) { after(); this.post({ group, kind, end: true }); return; }
    if (kind === "acknowledged" && who) { after(); this.post({ group, kind, who }); return; }
    const { answer = "", time = "" } = item.dataset, listed = LISTED.includes(kind), fields = byId("act-form").elements;
    this.about = { group, kind, after, answer };
    byId("act-title").textContent = listed ? `${WORDS[kind][0]}${answer && `: ${group}`}` : `${WORDS[kind][0]} ${group}`;
    byId("act-says").textContent = WORDS[kind][1];
    byId("act-do").textContent = WORDS[kind][0];
    byId("act-error").textContent = "";
    byId("act-form").reset();
    fields.who.value = who;
    byId("act-minutes").hidden = kind !== "snoozed";
    byId("act-note").hidden = kind !== "noted";
    byId("act-key").hidden = !listed || answer !== "" || !byId("act-keys");
    byId("act-time").hidden = kind !== "incident";
    fields.key.required = !byId("act-key").hidden;
    fields.time.required = kind === "incident";
    fields.time.value = time;
    fields.note.required = kind === "noted";
    byId("act").showModal();
    const first = { snoozed: fields.minutes, noted: fields.note, incident: fields.key.required ? fields.key : fields.time }[kind];
    (first && (who || kind !== "snoozed") ? first : fields.who).focus();
  },

  async done(given) {
    const { group, kind, after, answer } = this.about, who = given.get("who").trim(), listed = LISTED.includes(kind);
    localStorage.setItem(NAME, who);
    const act = listed ? { answer, who, key: given.get("key"), time: given.get("time"), false: kind === "false" } : { group, kind, who };
    if (kind === "snoozed") act.minutes = Number(given.get("minutes"));
    if (kind === "noted") act.note = given.get("note");
    const error = listed ? await this.post(act, "/api/incidents", "it is in the list of incidents") : await this.post(act);
    byId("act-error").textContent = error;
    if (!error) { byId("act").close(); after(); }
  },

  async post(act, to = "/api/acts", said = `${act.group}: ${act.end ? "taken back" : act.kind}`) {
    try {
      const answer = await ask(to, undefined, act), found = await answer.json();
      byId("said").textContent = answer.ok ? said : found.error;
      if (answer.ok) load();
      return answer.ok ? "" : found.error;
    } catch (error) { return "The page has no answer from its server."; }
  },
};
