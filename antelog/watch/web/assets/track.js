"use strict";
/* The track of the time machine, of the page and of films: what was confirmed with the ticks it was known before,
   what was averted, what was lost. */

const track = {
  /* The time of a tick: of day, with the date if it is not that of the last one; or its number. */
  text(data, tick, brief = false) {
    if (data.length === null) return `tick ${tick}`;
    const at = (which) => new Date(data.ends - (data.tick - which + 1) * data.length), zone = { timeZone: data.zone };
    const day = (which) => at(which).toLocaleDateString("en-GB", { ...zone, day: "numeric", month: "short" });
    const hour = at(tick).toLocaleTimeString("en-GB", { ...zone, hour: "2-digit", minute: "2-digit", ...(brief ? {} : { second: "2-digit" }) });
    return day(tick) === day(data.tick) ? hour : `${day(tick)} ${hour}`;
  },

  /* A number of ticks in words: 0:20, 2:05:00, or 3 ticks. */
  span(data, ticks) {
    if (data.length === null) return `${ticks} ${ticks === 1 ? "tick" : "ticks"}`;
    const all = Math.round(ticks * data.length / 1000), two = (n) => String(n).padStart(2, "0");
    const minutes = `${Math.floor(all / 60) % 60}`, hours = Math.floor(all / 3600);
    return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
  },

  /* What was decided up to a tick, in one sentence. */
  said(data, until) {
    const of = (kind) => data.marks.filter((each) => each.kind === kind && each.tick <= until);
    const sum = (marks) => marks.reduce((all, each) => all + each.count, 0);
    const known = of("confirmed").flatMap((each) => Array(each.count).fill(each.known)).sort((a, b) => a - b);
    const parts = [known.length ? `${known.length.toLocaleString("en")} confirmed, half of them known ${this.span(data, known[known.length >> 1])} before` : "none confirmed"];
    parts.push(`${sum(of("rejected")).toLocaleString("en")} averted`);
    if (of("lost").length) parts.push(`${sum(of("lost")).toLocaleString("en")} lost from sight`);
    return parts.join("; ");
  },

  draw(svg, data, at) {
    const wide = Math.max(200, svg.clientWidth), room = Math.max(1, data.tick - data.low);
    const x = (tick) => 6 + (Math.max(data.low, tick) - data.low) / room * (wide - 12);
    const made = [];
    const add = (name, given, text) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(given)) node.setAttribute(key, value);
      if (text !== undefined) node.textContent = text;
      made.push(node);
    };
    svg.classList.toggle("dense", data.marks.length > wide / 8);
    add("line", { x1: 0, x2: wide, y1: 42, y2: 42, class: "base" });
    const brief = data.length !== null && room * data.length > 300_000, words = this.text(data, data.low, brief);
    const count = Math.max(2, Math.min(8, Math.floor(wide / (50 + 7 * words.length))));
    for (let n = 0; n <= count; n++) {
      const tick = Math.round(data.low + room * n / count), anchor = n ? n === count ? "end" : "middle" : "start";
      add("text", { x: n ? n === count ? wide : x(tick) : 0, y: 57, "text-anchor": anchor }, this.text(data, tick, brief));
    }
    for (const each of data.marks.filter((one) => one.tick >= data.low)) {
      const later = each.tick > at ? " later" : "", end = x(each.tick);
      if (each.kind === "confirmed") {
        const y = each.severity === "critical" ? 8 : 19;
        add("line", { x1: x(each.tick - each.known), x2: end, y1: y, y2: y, class: `known ${each.severity}${later}` });
        add("circle", { cx: end, cy: y, r: Math.min(7, 3.4 + Math.log2(each.count)), class: `${each.severity}${later}` });
      } else if (each.kind === "rejected") add("line", { x1: end, x2: end, y1: 37 - Math.min(9, 5 + each.count), y2: 37, class: `averted${later}` });
      else add("path", { d: `M${end} 26l5 5l-5 5l-5-5z`, class: `lost${later}` });
    }
    const hand = x(Math.min(at, data.tick));
    add("line", { x1: hand, x2: hand, y1: 2, y2: 42, class: "hand" });
    add("circle", { cx: hand, cy: 42, r: 6, class: "hand" });
    svg.replaceChildren(...made);
  },
};
