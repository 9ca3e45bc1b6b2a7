/* What a reader could not read on a view, as sentences: nothing is cut, nothing covers another, no two are alike. */
(() => {
  const found = [], all = (what) => [...document.querySelectorAll(what)], say = (text) => found.push(text);
  const words = (each) => each.innerText.trim().slice(0, 80);
  if (document.documentElement.scrollWidth > innerWidth) say(`it is ${document.documentElement.scrollWidth} pixels wide`);

  // Names and words are whole.
  for (const each of all("h1:not(.hidden), .brief p, .fork-card .whole, .fork-card .above, .fork-card .will, .both p, .until, .more-due .whole, .more-due .will")) {
    const shown = getComputedStyle(each);
    if (each.scrollWidth > each.clientWidth + 1 && shown.display !== "inline") say(`cut: ${words(each)}`);
    if (shown.textOverflow === "ellipsis" && each.scrollWidth > each.clientWidth) say(`dots: ${words(each)}`);
    const box = each.getBoundingClientRect(), card = each.closest("article, li")?.getBoundingClientRect();
    if (card && (box.right > card.right + 1 || box.bottom > card.bottom + 1)) say(`outside of its card: ${words(each)}`);
  }

  // No two devices have one label; a key that is in two cards is due for two reasons. What is cut does not tell them apart.
  const groups = new Map(), cut = (each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1;
  for (const each of all("#cards [data-group], .rows .item:not(.part)[data-group]")) {
    const whole = each.querySelector(".whole"), above = each.querySelector(".above, .who > .small"), key = each.dataset.group;
    const label = (above && !cut(above) ? above.innerText.replace(/ · [\d,]+$/, "") : "") + whole.lastChild.textContent;
    if (groups.has(label) && groups.get(label) !== key) say(`one label for ${key} and ${groups.get(label)}`);
    groups.set(label, key);
    if (each.matches(".item") && cut(whole)) say(`a name is cut: ${key}`);
    if (!each.matches(".item") && whole.title !== key) say(`no title: ${key}`);
  }

  // In the bars above and below nothing covers another, and nothing is cut but the name of the program.
  for (const bar of all(".top, .moments:not([hidden])")) {
    const parts = [...bar.querySelectorAll("a, button, summary, select, .live, .program, .tick, .track, p")].filter((each) => each.checkVisibility() && !each.closest(".menu"));
    for (const [at, one] of parts.entries()) {
      const a = one.getBoundingClientRect();
      if (a.left < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1) say(`outside: ${words(one)}`);
      if (!one.matches(".program") && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline") say(`cut: ${words(one)}`);
      for (const other of parts.slice(at + 1)) {
        const b = other.getBoundingClientRect();
        if (!one.contains(other) && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) say(`${words(one)} covers ${words(other)}`);
      }
    }
  }

  // The map is beside the brief or below it, and a name of a group that is cut has a title.
  const [brief, map] = [".said", ".map"].map((each) => document.querySelector(each)?.getBoundingClientRect());
  if (brief && map && Math.min(brief.right, map.right) > Math.max(brief.left, map.left) + 1 && Math.min(brief.bottom, map.bottom) > Math.max(brief.top, map.top) + 1) say("the map covers the brief");
  if (map && (map.right > innerWidth + 1 || map.height < 20)) say("the map is outside");
  for (const each of all(".hall h2")) if (cut(each) && each.title !== each.innerText) say(`a group is cut: ${words(each)}`);

  // The texts of a card do not cover each other.
  for (const card of all(".fork-card")) {
    const boxes = [...card.querySelectorAll(".what > *, .both p, .until > *, .ways-to-act > *, .branch text")].map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => box.width && box.height);
    boxes.forEach(([one, a], at) => boxes.slice(at + 1).forEach(([other, b]) => {
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2) say(`${words(one)} covers ${words(other)}`);
    }));
    if (!card.querySelector(".both p")) say("a card without a way");
  }
  if (all(".slider input").some((each) => getComputedStyle(each).opacity === "0")) say("a slider that is not seen");
  if (all(".fork-card").length > 12) say("more than twelve cards");
  if (all("svg text").some((each) => parseFloat(getComputedStyle(each).fontSize) < 10.5)) say("small letters");
  return found;
})()
