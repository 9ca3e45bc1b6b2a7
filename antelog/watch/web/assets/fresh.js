"use strict";
/* How fresh the page is: when the last fact came, which inputs are silent, and whether anybody answers. */

const LATE = 5;  // seconds that what is unread has been there
const GONE = 15_000;  // the follower says something every five seconds
let lostSince = null;

const span = (ms) => { const s = Math.max(0, Math.floor(ms / 1000)); return s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)} min` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)} h`; };
const hour = (ms) => { const at = new Date(ms); return Date.now() - ms < 86_400_000 ? at.toLocaleTimeString("en-GB") : at.toLocaleString("en-GB"); };

function freshness() {
  if (!state && !lostSince) return;
  const now = Date.now(), inputs = Object.entries(state?.fresh || {}), said = Date.parse(state?.at);
  const silent = inputs.filter(([, each]) => each.gap && each.heard && !each.unread && now > 1000 * (each.heard + each.gap));
  const late = inputs.filter(([, each]) => each.behind >= LATE);
  const quiet = inputs.filter(([name, each]) => each.slots?.silent && !silent.some(([other]) => other === name));
  const last = Math.max(0, ...inputs.map(([, each]) => 1000 * (each.heard || 0))), gone = now - said > GONE;
  if (lostSince) live("lost", `no answer since ${hour(lostSince)}`);
  else if (gone) live("lost", `nothing since ${hour(said)}`);
  else live(silent.length || quiet.length ? "silent" : "live", last ? `last fact ${span(now - last)} ago` : "live");
  const words = lostSince ? [`The page has no answer from its server since ${hour(lostSince)}. What is shown is as it was then.`]
    : gone && late.length ? [`antelog watch is at work on what was unread at ${hour(said)}, or has ended. What is shown is as it was then.`, ...late.map(backlog)]
    : gone ? [`Nothing has come from antelog watch since ${hour(said)}: it has read all there was, or has ended. What is shown is as it was then.`]
    : [...late.map(backlog), ...silent.map(([name, each]) => `${name} has been silent for ${span(now - 1000 * each.heard)}, since ${hour(1000 * each.heard)}; facts are expected within ${span(1000 * each.gap)}. ${each.open.toLocaleString("en")} open ${each.open === 1 ? "answer rests" : "answers rest"} on it.`), ...quiet.map(slots)];
  show(words);
  const stale = lostSince || gone ? null : new Set(silent.flatMap(([, each]) => each.queries));
  const devices = new Set(quiet.flatMap(([, each]) => Object.keys(each.slots.listed).flatMap((name) => each.queries.map((query) => `${query} ${name}`))));
  for (const row of document.querySelectorAll(".item[data-query]")) row.classList.toggle("stale", stale === null || stale.has(row.dataset.query) || devices.has(`${row.dataset.query} ${row.dataset.group}`));
}

const backlog = ([name, { behind, unread, unit }]) => `${name} is read ${span(1000 * behind)} late: ${unit === "bytes" && unread >= 1e6 ? `${(unread / 1e6).toFixed(1)} MB` : `${unread.toLocaleString("en")} ${unit}`} are unread.`;

/* A single device is named; of many it is said how many they are. */
function slots([name, { gap, slots: { listed, silent, known, noun } }]) {
  const named = Object.entries(listed).map(([slot, heard]) => `${slot} (since ${hour(1000 * heard)})`), few = silent <= 3;
  const of = few ? named.join(", ") : `${silent.toLocaleString("en")} of ${known.toLocaleString("en")} ${noun}`;
  return `No fact of ${name} from ${of}${few ? "" : `, such as ${Object.keys(listed).slice(0, 3).join(", ")}`}; from each, facts are expected within ${span(1000 * gap)}.`;
}

/* A line for each; those who cannot see hear when their number changes, not each second. */
function show(words) {
  const band = byId("band"), lines = band.children;
  if (lines.length !== words.length) byId("said").textContent = words.join(" ") || "Facts come again.";
  while (lines.length > words.length) band.lastElementChild.remove();
  words.forEach((text, at) => {
    if (!lines[at]) band.append(document.createElement("p"));
    if (lines[at].textContent !== text) lines[at].textContent = text;
  });
}
