"use strict";
/* Makes a film: one HTML file that plays a stretch of the view Now without a server, and loads nothing. Of each
   frame it has the lines that differ from the frame before; of those that differ in numbers alone, the numbers. */

const FRAMES = 361;  // at most: an hour of ticks of ten seconds
const NUMBER = /\b[0-9a-f]{16}\b|(\d+(?:\.\d+)?)/g;  // not those within the ids of answers
const HOLE = "\x01";  // in place of a number
const NEAR = 400;  // lines of the frame before among which one is looked for

const filming = {
  async made(low, high, data, tell) {
    const step = Math.max(1, Math.ceil((high - low) / (FRAMES - 1))), ticks = [];
    for (let tick = low; tick < high; tick += step) ticks.push(tick);
    ticks.push(high);
    const known = new Map(), frames = [];
    let before = [];
    for (const tick of ticks) {
      const lines = (await this.frame(tick)).split("\n").filter((line) => line.trim()).map((text) => this.line(text, known));
      frames.push(this.items(before, lines));
      before = lines;
      tell(frames.length / ticks.length);
    }
    const marks = data.marks.filter((each) => each.tick >= low);
    return this.file({ ticks, lines: [...known.keys()], frames, track: { ...data, low, marks } });
  },

  /* The view at a tick: without what is said about it, and what is only for those who can go on. */
  async frame(tick) {
    const answer = await ask(`/part/now?at=${tick}&count=200`);
    if (!answer.ok) throw new Error(`no view at ${tick}`);
    const made = document.createElement("template");
    made.innerHTML = await answer.text();
    for (const each of made.content.querySelectorAll(".fresh, .past, form, button, [data-act], .does")) each.remove();
    for (const link of made.content.querySelectorAll("a")) link.removeAttribute("href");
    return made.innerHTML.replaceAll(/></g, ">\n<");
  },

  line(text, known) {
    const numbers = [], bare = text.replace(NUMBER, (whole, number) => { if (number === undefined) return whole; numbers.push(number); return HOLE; });
    if (!known.has(bare)) known.set(bare, known.size);
    return [known.get(bare), numbers.join(" ")];
  },

  /* So many lines as before, without so many (below 0), the next with other numbers, or a new line and its. */
  items(before, lines) {
    const made = [];
    let at = 0, same = 0;
    const end = () => { if (same) made.push(same); same = 0; };
    for (const [line, numbers] of lines) {
      let old = at;
      while (old < before.length && old < at + NEAR && before[old][0] !== line) old++;
      if (old >= before.length || before[old][0] !== line) { end(); made.push([line, numbers]); continue; }
      if (old > at) { end(); made.push(at - old); }
      at = old + 1;
      if (before[old][1] === numbers) same++;
      else { end(); made.push(numbers); }
    }
    end();
    return made;
  },

  /* The file: the style of a snapshot, the frames, and the script that plays them, alone by its hash. */
  async file(known) {
    const text = async (address) => (await fetch(address, { credentials: "omit" })).text();
    const source = document.querySelector("script[src$='track.js']").src;
    const styles = [...document.querySelectorAll("link[rel=stylesheet]")].map((link) => link.href).filter((each) => !/(theme|page|uPlot.min).css$/.test(each));
    const [track, player, ...more] = await Promise.all([source, source.replace("track.js", "film.js"), ...styles].map(text));
    // A snapshot has the theme with its font in itself.
    const snapshot = await (await ask("/export/plan.html")).text();
    const style = [/<style>([^]*?)<\/style>/.exec(snapshot)[1], ...more].join("\n");
    const content = await new Response(new Blob([JSON.stringify(known)]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
    const script = track + player.replace('"use strict";', ""), bytes = new Uint8Array(content);
    let binary = "";
    for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
    const hash = crypto.subtle ? `'sha256-${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script)))))}'` : "'unsafe-inline'";
    const title = `${state?.program || "antelog"}: film`.replace(/[&<>]/g, "");
    return new Blob([`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; script-src ${hash}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body class="still film">
<header class="top"><span class="brand">antelog</span><span class="state">${title}</span><b id="when"></b></header>
<main id="view" tabindex="-1"><p class="empty">This film plays in a browser with scripts.</p></main>
<section class="moments" id="moments" aria-label="Film">
<div class="reel"><button type="button" id="replay">▶ Play</button><label><span class="hidden">Pace</span><select id="pace"><option value="4">4 frames a second</option><option value="10" selected>10 frames a second</option><option value="25">25 frames a second</option></select></label></div>
<div class="track"><svg id="track" aria-hidden="true"></svg><input type="range" id="hand" aria-label="The moment that is shown" step="1"></div>
<div class="reel"><p id="score"></p></div>
</section>
${document.getElementById("hatch").closest("svg").outerHTML}
<script type="application/octet-stream" id="content">${btoa(binary)}</script>
<script>${script}</script>
</body>
</html>
`], { type: "text/html" });
  },
};
