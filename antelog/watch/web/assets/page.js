"use strict";
/* The page: asks for views, keeps them fresh, and says how long is left. All markup comes from the server,
   which has escaped what is in it. */

const view = byId("view");
let state = null;

/* ---- which view ---- */

const here = () => {
  const path = location.pathname.slice(root.length).replace(/^\/|\/$/g, "");
  return { name: path.split("/")[0] || "now", path: path || "now" };
};
let shown = "", fresh = 0, loading = null, missed = false;
let kept = { address: "", tag: "", text: "" };  // the view as the server sent it

/* A view of which the server knows what this page has comes as new lines, and where the others are in it. */
async function whole(answer, address) {
  let text = kept.text;
  if (answer.headers.get("content-type") === "application/json") {
    const before = text.split("\n"), lines = [], pieces = await answer.json();
    for (let at = 0; at < pieces.length; at++) {
      if (typeof pieces[at] === "string") lines.push(pieces[at]);
      else lines.push(...before.slice(pieces[at], pieces[at] + pieces[++at]));
    }
    text = lines.join("\n");
  } else if (answer.status !== 204) text = await answer.text();
  kept = { address, tag: answer.headers.get("x-view") || "", text };
  return text;
}

function go(address) {
  history.pushState(null, "", address);
  list.pointed = 0;
  return load();
}

async function load() {
  loading?.abort();
  loading = new AbortController();
  const { name, path } = here();
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.dataset.view === name || (name === "answer" && link.dataset.view === "now");
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  const given = new URLSearchParams(location.search), { from, count } = shown === path ? list.reach() : { from: 0, count: list.sight };
  if (name === "list" || name === "decided") { given.set("from", from); given.set("count", count); }
  const address = `${path}?${given}`;
  given.set("have", kept.address === address ? kept.tag : "");
  try {
    const answer = await ask(`/part/${path}?${given}`, loading.signal);
    fresh = Date.now();
    missed = false;
    if (answer.ok) put(await whole(answer, address), path);
    else { shown = path; say(view, "There is nothing here any more", "The answer was decided long ago, or never was."); }
  } catch (error) { if (error.name !== "AbortError" && error.message !== "locked") lost(); }
}

/* Another view replaces the old one; the same view is morphed, so that nothing jumps. */
function put(html, path) {
  const made = document.createElement("template");
  made.innerHTML = html;
  // A list that appears once the page has caught up is a new one, too.
  const alike = Boolean(byId("filters")) === Boolean(made.content.getElementById("filters"));
  if (shown === path && view.firstElementChild && alike) {
    if (list.held) list.hold(made.content);
    list.change(() => morph(view, made.content.children, "innerHTML"));
    shown = path;
  } else {
    view.replaceChildren(made.content);
    if (shown) window.scrollTo(0, 0);  // the first view was there before, and may have been scrolled
    entitle();
    if (shown) view.focus({ preventScroll: true });
    shown = path;
    list.begin();
    list.place();
  }
  mine();
  drawCharts();
  countdown();
  freshness();
  moments.show();
  if (list.box) requestAnimationFrame(() => setTimeout(() => list.fill()));  // once this is painted
}

/* Who has given a name finds what is theirs under it. */
function mine() {
  const name = localStorage.getItem(NAME);
  for (const each of document.querySelectorAll("[name=care]")) if (each.value === name) each.parentElement.querySelector(".cut span").textContent = "mine";
}

/* What the reader has opened, typed or scrolled, and what scripts have drawn, stays as it is. */
const KEPT_ATTRIBUTES = { DETAILS: ["open"] };
function morph(old, made, style = "outerHTML") {
  Idiomorph.morph(old, made, {
    morphStyle: style,
    // A row that has the focus goes on; only what is typed stays.
    ignoreActiveValue: document.activeElement?.matches("input, select, textarea"),
    callbacks: {
      beforeNodeMorphed: (node) => !node.classList?.contains("canvas"),
      beforeAttributeUpdated: (name, node) => name !== "style" && !KEPT_ATTRIBUTES[node.tagName]?.includes(name),
    },
  });
}

/* ---- how long is left: where ticks follow the clock of the wall, seconds are counted ---- */

const DAY = 86_400_000;
const two = (n) => String(n).padStart(2, "0");
const clock = (s) => s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
function countdown() {
  if (!state?.wall || moments.at !== null) return;
  for (const each of document.querySelectorAll("[data-until]")) {
    const left = Math.floor((Number(each.dataset.until) - Date.now()) / 1000);
    if (Math.abs(left) > DAY / 1000) continue;
    const brief = "brief" in each.dataset;
    each.textContent = left < 0 && !brief ? `overdue ${clock(-left)}` : clock(Math.max(0, left));
    each.classList.toggle("late", left < 0 && !brief);
  }
}

/* ---- news: one stream for a browser, however many tabs ---- */

function live(kind, words) {
  byId("live").dataset.kind = kind;
  byId("state").textContent = words;
}

/* The time that is reached; on a telephone there is no room for its date. */
function reached(text) {
  const [, date, time] = /^(\d{4}-\d\d-\d\d )?(.*)$/.exec(text), day = document.createElement("span");
  day.className = "date";
  day.textContent = date || "";
  byId("tick").replaceChildren(day, time);
}

/* How much is due, on the tab itself: also where it is hidden. */
function entitle() {
  const due = state?.due || {}, worst = ["critical", "warning", "info"].find((each) => due[each]);
  const number = Object.values(due).reduce((sum, each) => sum + each, 0);
  document.title = `${number ? `(${number}) ` : ""}${view.querySelector("h1")?.textContent || here().path} – antelog`;
  const icon = document.querySelector("link[rel=icon]"), at = icon.href.replace(/icon[^/]*$/, `icon${worst ? `-${worst}` : ""}.svg`);
  if (icon.href !== at) icon.href = at;
}

let due = null;
function hear(news) {
  const before = state;
  state = { ...state, ...news };
  lostSince = null;
  entitle();
  if (state.kind === undefined) return;  // a hidden tab hears only what is due
  freshness();
  byId("program").textContent = state.program;
  reached(state.reached);
  // Facts alone change these two views; others only if there are other answers, or a tick.
  const name = here().name, rates = name === "inputs" || name === "plan";
  missed ||= rates ? before?.version !== state.version : before?.view !== state.view;
  if (document.hidden || due || !missed) return;
  due = setTimeout(refresh, Math.max(0, (rates ? 4900 : 900) - (Date.now() - fresh)));
}

function refresh() { due = null; if (missed && here().path === shown && moments.at === null && getSelection().isCollapsed) load(); }

let tries = 0;
function lost() { lostSince ??= Date.now(); freshness(); }

async function listen(only, signal) {
  while (!signal.aborted) {
    try {
      const answer = await ask(`/events?only=${only}`, signal);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        tries = 0;
        const pieces = (rest + value).split("\n\n");
        rest = pieces.pop();
        for (const piece of pieces) if (piece.startsWith("event: state")) tell(JSON.parse(piece.slice(piece.indexOf("data: ") + 6)));
      }
    } catch (error) { if (error.message === "locked") return; }
    if (signal.aborted) return;
    lost();
    channel?.postMessage({ lost: true });
    await new Promise((done) => setTimeout(done, Math.min(5000, 250 * 2 ** tries++)));
  }
}

function tell(news) { hear(news); channel?.postMessage({ news }); }

/* One tab of those that are seen hears all news for them, and one of the hidden ones what is due. */
let following = null;
function follow() {
  following?.abort();
  const { signal } = following = new AbortController(), only = document.hidden ? "due" : "page";
  if (navigator.locks) navigator.locks.request(`antelog ${only} ${root}`, { signal }, () => listen(only, signal)).catch(() => {});
  else listen(only, signal);
}

/* Whether this reader may act. */
async function may() {
  try {
    acts.may = Boolean((await (await ask("/api/session")).json()).acts);
    acts.begin();
  } catch (error) { if (error.message !== "locked") lost(); }
}

async function begin() {
  if (!(await enter())) { locked(); return; }
  if (edits) bench.begin();
  else load();  // whoever looks waits for the view, not for what else may be done
  may();
  channel?.addEventListener("message", ({ data }) => {
    if (data.asks === "session" && session) channel.postMessage({ session });
    if (data.asks === "news" && state?.kind) channel.postMessage({ news: state });
    if (data.news) hear(data.news);
    if (data.lost) lost();
  });
  channel?.postMessage({ asks: "news" });
  follow();
  setInterval(() => { countdown(); freshness(); }, 1000);
}

/* ---- what people do ---- */

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const href = link.href.baseVal ?? link.getAttribute("href"), to = new URL(href, location.href);
  if (to.origin !== location.origin || link.hasAttribute("download") || href.startsWith("#")) return;
  event.preventDefault();
  if (to.href !== location.href) go(to.href);
});
addEventListener("popstate", load);
addEventListener("visibilitychange", () => { follow(); if (!document.hidden) { channel?.postMessage({ asks: "news" }); hear({}); } });
document.addEventListener("selectionchange", () => { if (missed && !due && getSelection().isCollapsed) hear({}); });
let frame = 0;
addEventListener("scroll", () => { if (!frame) frame = requestAnimationFrame(() => { frame = 0; list.fill(); }); }, { passive: true });
addEventListener("resize", () => { if (list.box) { list.place(); list.fill(); } drawCharts(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);

/* Escape ends one thing: a menu, typing, the filters where they cover the list, the row that is chosen, a view. */
function leave(target, typing) {
  const more = byId("more");
  if (byId("snapshot").open) byId("snapshot").open = false;
  else if (typing) target.blur();
  else if (narrow.matches && more?.open) more.open = false;
  else if (list.box && list.selected >= 0) { list.choose(null); list.mark(); document.activeElement.blur(); }
  else if (here().name === "answer") history.length > 1 ? history.back() : go(`${root}/`);
}

document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || (event.repeat && "asn".includes(event.key))) return;
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea, [data-typing]");
  if (document.querySelector("dialog[open]")) return;  // the browser closes it, and only it
  if (event.key === "Escape") { event.preventDefault(); leave(event.target, typing); return; }
  if (typing) return;
  const links = [...document.querySelectorAll("nav a")];
  if (/^[1-9]$/.test(event.key) && links[event.key - 1]) { go(links[event.key - 1].href); return; }
  const keys = {
    "/": async () => { if (!byId("filters")) await go(`${root}/list`); byId("filters")?.elements.text.focus(); },
    "?": () => byId("help").showModal(),
  };
  if (list.box) Object.assign(keys, {
    j: () => list.move(1), k: () => list.move(-1), ArrowDown: () => list.move(1), ArrowUp: () => list.move(-1),
    ArrowRight: () => list.toggle(true), ArrowLeft: () => list.toggle(false),
  });
  else if (byId("cards")) Object.assign(keys, { j: () => cards.move(1), k: () => cards.move(-1) });
  if (list.box || byId("cards") || here().name === "answer") Object.assign(keys, {
    a: () => acts.key("acknowledged"), s: () => acts.key("snoozed"), n: () => acts.key("noted"),
  });
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
byId("close").addEventListener("click", () => byId("help").close());

/* ---- light and dark ---- */

function themed() {
  const chosen = document.documentElement.dataset.theme;
  byId("theme").title = byId("theme").ariaLabel = `Theme: ${chosen === "system" ? "as the system has it" : chosen}`;
  drawCharts();
}
byId("theme").addEventListener("click", () => { theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]); themed(); });
themed();

/* ---- snapshots ---- */

document.addEventListener("click", async (event) => {
  const menu = byId("snapshot");
  const kind = event.target.closest("[data-snapshot]")?.dataset.snapshot;
  if (menu.open && (kind || !menu.contains(event.target))) menu.open = false;
  if (!kind) return;
  if (kind === "print") { print(); return; }
  const name = `antelog-${here().path.replace("/", "-")}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.${kind}`;
  const blob = await (await ask(`/export/${here().path}.${kind}${location.search}`)).blob();
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});

begin();
