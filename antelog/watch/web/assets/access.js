"use strict";
/* Who may see the page: the token of the printed link becomes a session, which the tab keeps. */

const root = document.body.dataset.root;
const guarded = document.body.dataset.guarded === "yes";
const edits = document.body.dataset.edits === "yes";
const byId = (id) => document.getElementById(id);
const KEPT = `antelog session ${root}`;
const channel = "BroadcastChannel" in window ? new BroadcastChannel(`antelog ${root}`) : null;
let session = null;

async function ask(path, signal, posted) {
  const headers = session ? { Authorization: `Bearer ${session}` } : {};
  if (posted) headers["Content-Type"] = "application/json";
  const more = posted ? { method: "POST", body: JSON.stringify(posted) } : {};
  const answer = await fetch(root + path, { headers, signal, cache: "no-store", credentials: "omit", ...more });
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
  say(byId("view"), "This page needs the link that was printed",
    "Open the whole link that antelog printed where it was started; what comes after ?token= lets you in.");
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
