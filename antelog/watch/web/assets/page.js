"use strict";
/* The page: asks for views and rows with its token, keeps them fresh, and shows of a long list only what
   is in sight. All markup comes from the server, which has escaped what is in it. */

const root = document.body.dataset.root;
const guarded = document.body.dataset.guarded === "yes";
const view = document.getElementById("view");
const byId = (id) => document.getElementById(id);
const KEPT = `antelog session ${root}`;
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`antelog ${root}`) : null;
let session = null;
let state = null;

/* ---- who we are ---- */

async function ask(path, signal) {
  const headers = session ? { Authorization: `Bearer ${session}` } : {};
  const answer = await fetch(root + path, { headers, signal, cache: "no-store", credentials: "omit" });
  if (answer.status === 401) { locked(); throw new Error("locked"); }
  return answer;
}

/* The token of the printed link is exchanged for a session, which this tab keeps; the address is cleaned. */
async function enter() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
    const answer = await fetch(`${root}/api/session`, { headers: { Authorization: `Bearer ${given}` }, credentials: "omit" });
    if (answer.ok) keep((await answer.json()).session);
  }
  session = session || sessionStorage.getItem(KEPT);
  if (!session && guarded) session = await fromOtherTab();
  if (session) keep(session);
  return Boolean(session) || !guarded;
}

function keep(found) { session = found; sessionStorage.setItem(KEPT, found); }

/* A new tab of this browser asks the others. */
function fromOtherTab() {
  return new Promise((done) => {
    if (!channel) { done(null); return; }
    const hear = (message) => { if (message.data.session) finish(message.data.session); };
    const finish = (found) => { channel.removeEventListener("message", hear); done(found); };
    channel.addEventListener("message", hear);
    channel.postMessage({ asks: "session" });
    setTimeout(finish, 400, null);
  });
}

function locked() {
  live("locked", "no access");
  sessionStorage.removeItem(KEPT);
  say(view, "This page needs the link that was printed",
    "Open the whole link that antelog printed where it was started; what comes after # lets you in.");
}

function say(where, title, words) {
  const box = document.createElement("div");
  box.className = "empty";
  for (const [text, name] of [[title, "title"], [words, ""]]) {
    const line = document.createElement("p");
    line.textContent = text;
    line.className = name;
    box.append(line);
  }
  where.replaceChildren(box);
}

/* ---- which view ---- */

const here = () => {
  const path = location.pathname.slice(root.length).replace(/^\/|\/$/g, "");
  return { name: path.split("/")[0] || "now", path: path || "now" };
};
let shown = "", searched = "", fresh = 0, loading = null;

function go(address) {
  history.pushState(null, "", address);
  load();
}

async function load() {
  loading?.abort();
  loading = new AbortController();
  const { name, path } = here();
  for (const link of document.querySelectorAll("nav a")) {
    const current = link.dataset.view === name || (name === "answer" && link.dataset.view === "now");
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  try {
    const answer = await ask(`/part/${path}${location.search}`, loading.signal);
    fresh = Date.now();
    if (!answer.ok) { shown = path; say(view, "There is nothing here any more", "The answer was decided long ago, or never was."); return; }
    put(await answer.text(), path);
  } catch (error) { if (error.name !== "AbortError" && error.message !== "locked") lost(); }
}

/* Another view replaces the old one; the same view only where it is different, so that nothing jumps. */
function put(html, path) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const same = shown === path && searched === location.search;
  if (same) {
    for (const part of made.content.querySelectorAll("[data-part]")) {
      const old = view.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
      if (old && old.outerHTML !== part.outerHTML && !held(old)) swap(old, part);
    }
  } else {
    view.replaceChildren(made.content);
    window.scrollTo(0, 0);
    document.title = `${titleOf(path)} – antelog`;
    if (shown) view.focus({ preventScroll: true });
  }
  shown = path;
  searched = location.search;
  if (path === "now") list.begin(same);
  countdown();
}

const titleOf = (path) => view.querySelector("h1")?.textContent || document.querySelector("nav [aria-current]")?.textContent || path;
const held = (part) => part.contains(document.activeElement) && document.activeElement !== part && !part.matches("[data-live]");

function swap(old, part) {
  const opened = [...old.querySelectorAll("details[open]")].map((each) => each.dataset.name);
  for (const each of part.querySelectorAll("details")) if (opened.includes(each.dataset.name)) each.open = true;
  const scrolled = [...old.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  old.replaceWith(part);
  [...part.querySelectorAll(".scroll")].forEach((each, n) => { each.scrollLeft = scrolled[n] || 0; });
}

/* ---- the list: only what is in sight is in the page ---- */

const list = {
  total: 0, start: 0, busy: null, wanted: false, selected: -1,
  get box() { return byId("list"); },
  get height() { return parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 64; },

  begin(same) {
    if (!this.box) return;
    if (!same) {
      this.selected = -1;
      const form = byId("filters");
      form.addEventListener("input", () => { clearTimeout(this.later); this.later = setTimeout(() => this.filter(), 180); });
      form.addEventListener("submit", (event) => event.preventDefault());
      this.box.addEventListener("focusin", (event) => { const at = event.target.closest(".item")?.ariaPosInSet; if (at) this.selected = at - 1; });
    }
    this.fill();
  },

  filter() {
    const given = new URLSearchParams(new FormData(byId("filters")));
    for (const [name, value] of [...given]) if (!value || value === "0") given.delete(name);
    history.replaceState(null, "", `${location.pathname}${given.size ? "?" + given : ""}`);
    searched = location.search;
    this.selected = -1;
    if (this.box.getBoundingClientRect().top < 0) window.scrollTo(0, 0);
    this.fill(true);
  },

  /* Asks for the rows in sight, and some before and after; one question at a time. */
  async fill(announce = false) {
    if (!this.box || here().name !== "now") return;
    if (this.busy) { this.wanted = true; this.announce ||= announce; return; }
    const height = this.height, above = -this.box.getBoundingClientRect().top, sight = Math.ceil(innerHeight / height);
    const from = Math.max(0, Math.floor(above / height) - 15), count = Math.min(300, sight + 30);
    const given = new URLSearchParams(location.search);
    given.set("from", from); given.set("count", count);
    this.busy = ask(`/part/rows?${given}`);
    try { this.show(await (await this.busy).text(), height, announce); } catch (error) { if (error.message !== "locked") lost(); }
    this.busy = null;
    if (this.wanted) { this.wanted = false; this.fill(this.announce); this.announce = false; }
  },

  show(html, height, announce) {
    if (!this.box) return;
    const made = document.createElement("template");
    made.innerHTML = html;
    const rows = made.content.firstElementChild, focused = focusedId();
    this.total = Number(rows.dataset.total); this.start = Number(rows.dataset.from);
    rows.className = "rows";
    rows.style.transform = `translateY(${this.start * height}px)`;
    this.box.style.height = this.total ? `${this.total * height}px` : "auto";
    const old = this.box.firstElementChild;
    old && this.total ? this.change(old, rows) : this.box.replaceChildren(rows);
    if (focused && focusedId() !== focused) {
      const selected = this.selected;
      this.box.querySelector(`[data-id="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
      this.selected = selected;
    }
    this.mark();
    const words = `${this.total.toLocaleString("en")} answer${this.total === 1 ? "" : "s"}`;
    byId("found").textContent = words;
    if (announce) byId("said").textContent = words;
    countdown();
  },

  /* Rows that were there already stay the same elements, so that pointers and readers keep their place. */
  change(old, rows) {
    const before = new Map([...old.children].map((row) => [row.dataset.id, row]));
    const kept = [...rows.children].map((row) => {
      const same = before.get(row.dataset.id);
      if (!same) { if (before.size) row.classList.add("new"); return row; }
      // The link stays the same element: it may have the focus.
      if (same.firstElementChild.innerHTML !== row.firstElementChild.innerHTML) same.firstElementChild.replaceChildren(...row.firstElementChild.childNodes);
      for (const name of ["aria-posinset", "aria-setsize"]) same.setAttribute(name, row.getAttribute(name));
      same.classList.remove("new");
      return same;
    });
    if (old.dataset.from !== rows.dataset.from) for (const row of kept) row.classList.remove("new");
    old.style.transform = rows.style.transform;
    old.dataset.from = rows.dataset.from;
    if (kept.length !== old.children.length || kept.some((row, at) => row !== old.children[at])) old.replaceChildren(...kept);
  },

  mark() {
    for (const item of this.box.querySelectorAll(".item")) item.firstElementChild.classList.toggle("selected", item.ariaPosInSet - 1 === this.selected);
  },

  async move(by) {
    if (!this.total) return;
    this.selected = Math.min(this.total - 1, Math.max(0, this.selected + by));
    const top = this.box.getBoundingClientRect().top + scrollY + this.selected * this.height, low = innerHeight - this.height - 80;
    if (top < scrollY + 140) window.scrollTo(0, top - 140);
    else if (top > scrollY + low) window.scrollTo(0, top - low);
    await this.fill();
    this.mark();
    this.box.querySelector(`[aria-posinset="${this.selected + 1}"] a`)?.focus({ preventScroll: true });
  },
};

const focusedId = () => document.activeElement?.closest(".item")?.dataset.id;

/* ---- how long is left: where ticks follow the clock of the wall, seconds are counted ---- */

const DAY = 86_400_000;
function countdown() {
  for (const each of document.querySelectorAll("[data-until]")) {
    const left = Number(each.dataset.until) - Date.now();
    if (left < 0 || left > DAY || Math.abs(Date.now() - Date.parse(state?.at)) > 60_000 || !state?.wall) continue;
    const s = Math.floor(left / 1000), two = (n) => String(n).padStart(2, "0");
    each.textContent = s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
  }
}

/* ---- news: one stream for a browser, however many tabs ---- */

function live(kind, words) {
  byId("live").dataset.kind = kind;
  byId("state").textContent = words;
}

let due = null;
function hear(news) {
  state = news;
  live("live", "live");
  byId("program").textContent = news.program;
  byId("tick").textContent = news.reached;
  if (document.hidden || due) return;
  due = setTimeout(refresh, Math.max(0, 900 - (Date.now() - fresh)));
}

function refresh() { due = null; if (here().path === shown && (shown === "now" || !selecting())) load(); }
const selecting = () => !getSelection().isCollapsed;

let tries = 0;
function lost() { live("lost", "reconnecting"); }

async function listen() {
  for (;;) {
    try {
      const answer = await ask("/events");
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        tries = 0;
        const pieces = (rest + value).split("\n\n");
        rest = pieces.pop();
        const last = pieces.filter((piece) => piece.startsWith("event: state")).pop();
        if (last) tell(JSON.parse(last.slice(last.indexOf("data: ") + 6)));
      }
    } catch (error) { if (error.message === "locked") return; }
    lost();
    channel?.postMessage({ lost: true });
    await new Promise((done) => setTimeout(done, Math.min(5000, 250 * 2 ** tries++)));
  }
}

function tell(news) { hear(news); channel?.postMessage({ news }); }

async function begin() {
  if (!(await enter())) { locked(); return; }
  channel?.addEventListener("message", ({ data }) => {
    if (data.asks === "session" && session) channel.postMessage({ session });
    if (data.asks === "news" && state) channel.postMessage({ news: state });
    if (data.news) hear(data.news);
    if (data.lost) lost();
  });
  load();
  channel?.postMessage({ asks: "news" });
  if (navigator.locks) navigator.locks.request(`antelog news ${root}`, listen);
  else listen();
  setInterval(countdown, 1000);
}

/* ---- what people do ---- */

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  if (to.href !== location.href) go(to.href);
});
addEventListener("popstate", load);
addEventListener("visibilitychange", () => { if (!document.hidden && state) hear(state); });
let frame = 0;
addEventListener("scroll", () => { if (!frame) frame = requestAnimationFrame(() => { frame = 0; list.fill(); }); }, { passive: true });
addEventListener("resize", () => list.fill());

document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=radio]), select, textarea");
  if (event.key === "Escape" && byId("snapshot").open) { byId("snapshot").open = false; return; }
  if (event.key === "Escape" && typing) { event.target.blur(); return; }
  if (typing || byId("help").open) return;
  const links = [...document.querySelectorAll("nav a")];
  if (/^[1-5]$/.test(event.key)) { go(links[event.key - 1].href); return; }
  const keys = {
    "/": () => byId("filters")?.elements.text.focus(),
    "?": () => byId("help").showModal(),
    Escape: () => { if (here().name === "answer") history.length > 1 ? history.back() : go(`${root}/`); },
  };
  if (here().name === "now" && !event.target.matches("input")) Object.assign(keys, {
    j: () => list.move(1), k: () => list.move(-1), ArrowDown: () => list.move(1), ArrowUp: () => list.move(-1),
  });
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
byId("close").addEventListener("click", () => byId("help").close());

/* ---- snapshots ---- */

document.addEventListener("click", async (event) => {
  const menu = byId("snapshot");
  const kind = event.target.closest("[data-snapshot]")?.dataset.snapshot;
  if (menu.open && (kind || !menu.contains(event.target))) menu.open = false;
  if (!kind) return;
  const name = `antelog-${here().path.replace("/", "-")}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.${kind}`;
  const blob = kind === "png" ? await antelogPaint(document) : await (await ask(`/export/${here().path}.${kind}${location.search}`)).blob();
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});

begin();
