"use strict";
/* How fresh the page is. The server says what does not come; the script counts the seconds since the last fact,
   and says when nobody answers. */

let lostSince = null;

const span = (ms) => { const s = Math.max(0, Math.floor(ms / 1000)); return s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)} min` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)} h`; };
const hour = (ms) => { const at = new Date(ms); return Date.now() - ms < 86_400_000 ? at.toLocaleTimeString("en-GB") : at.toLocaleString("en-GB"); };

function freshness() {
  document.body.classList.toggle("unanswered", Boolean(lostSince));
  if (lostSince) {
    live("lost", `no answer since ${hour(lostSince)}`);
    show([`The page has no answer from its server since ${hour(lostSince)}. What is shown is as it was then.`]);
  } else if (state) {
    const counts = state.heard && ["live", "silent"].includes(state.kind);
    live(state.kind, counts ? `last fact ${span(Date.now() - 1000 * state.heard)} ago` : state.text);
    show(state.band);
  }
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
