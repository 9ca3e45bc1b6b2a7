"use strict";
/* In a frame of another page: what is shown is asked for anew, with the same address, and seconds are counted. */

const EVERY = 10_000;
const two = (n) => String(n).padStart(2, "0");
const clock = (s) => s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
const view = () => document.getElementById("view");

function countdown() {
  if (view().dataset.wall !== "yes") return;
  for (const each of document.querySelectorAll("[data-until]")) {
    each.textContent = clock(Math.max(0, Math.floor((Number(each.dataset.until) - Date.now()) / 1000)));
  }
}

async function anew() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    view().replaceWith(made.getElementById("view"));
    countdown();
  } catch {
    document.getElementById("live").textContent = "the page does not answer: what is shown is old";
  }
}

setInterval(countdown, 1_000);
setInterval(anew, EVERY);
document.addEventListener("visibilitychange", anew);
