"use strict";
/* Plays a film: unpacks its frames, and shows one after the other. */

const show = (id) => document.getElementById(id);

const film = {
  at: 0, timer: null, frames: [], data: null, ticks: [],

  async begin() {
    const bytes = Uint8Array.from(atob(show("content").textContent.trim()), (each) => each.charCodeAt(0));
    const found = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
    Object.assign(this, { data: found.track, ticks: found.ticks });
    let before = [];
    this.frames = found.frames.map((items) => { before = this.lines(items, before); return before.map(([line, numbers]) => { let at = 0; const all = numbers.split(" "); return found.lines[line].replace(/\x01/g, () => all[at++]); }); });
    Object.assign(show("hand"), { min: 0, max: this.ticks.length - 1, value: 0 });
    show("hand").addEventListener("input", (event) => { this.stop(); this.show(Number(event.target.value)); });
    show("replay").addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    addEventListener("resize", () => this.show(this.at));
    document.addEventListener("keydown", (event) => { if (event.key === " " && !event.target.closest("button, a")) { event.preventDefault(); show("replay").click(); } });
    // A film has no server behind it: links lead nowhere.
    document.addEventListener("click", (event) => { if (event.target.closest("a")) event.preventDefault(); });
    this.show(0);
    document.body.dataset.ready = "yes";
  },

  /* The lines of a frame, by those of the frame before. */
  lines(items, before) {
    const made = [];
    let old = 0;
    for (const item of items) {
      if (typeof item === "number" && item < 0) old -= item;
      else if (typeof item === "number") for (const end = old + item; old < end; old++) made.push(before[old]);
      else if (typeof item === "string") made.push([before[old++][0], item]);
      else made.push(item);
    }
    return made;
  },

  show(at) {
    this.at = at;
    const tick = this.ticks[at], text = track.text(this.data, tick);
    show("view").innerHTML = this.frames[at].join("\n");
    show("when").textContent = text;
    show("hand").value = at;
    show("hand").setAttribute("aria-valuetext", text);
    show("score").textContent = track.said(this.data, tick);
    show("replay").textContent = this.timer ? "■ Stop" : "▶ Play";
    track.draw(show("track"), this.data, tick);
  },

  play() {
    if (this.at >= this.frames.length - 1) this.at = -1;
    this.timer = setInterval(() => {
      if (this.at >= this.frames.length - 1) this.stop(); else this.show(this.at + 1);
    }, 1000 / Number(show("pace").value));
    show("replay").textContent = "■ Stop";
  },

  stop() { clearInterval(this.timer); this.timer = null; show("replay").textContent = "▶ Play"; },
};
film.begin();
