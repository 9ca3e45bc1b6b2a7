/* What a reader does with the time machine; returns what was otherwise than expected. */
async function looked() {
  const wrong = [], right = (what, found) => { if (!found) wrong.push(what); };
  const until = async (what, ready) => {
    for (let n = 0; n < 200; n++) { if (ready()) return; await new Promise((done) => setTimeout(done, 50)); }
    wrong.push(`never: ${what}`);
  };
  const press = (key) => (document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const { tick, low } = moments.data, band = () => document.querySelector(".past")?.innerText || "";

  right("now has no band", band() === "");
  press("t");
  right("t goes to the hand", document.activeElement.id === "hand");
  hand.value = tick - 20;
  hand.dispatchEvent(new Event("input", { bubbles: true }));
  await until("the page is of then", () => moments.at === tick - 20 && !moments.busy && band().includes("ago"));
  right("the hand says when", hand.getAttribute("aria-valuetext") === track.text(moments.data, tick - 20));
  right("views lead to then, too", [...document.querySelectorAll("nav a")].every((link) => link.href.includes(`at=${tick - 20}`)));
  right("rows lead to then, too", [...document.querySelectorAll("main a[href*='/answer/']")].every((link) => (link.href.baseVal ?? link.href).includes(`at=${tick - 20}`)));
  right("nobody acts there", ![...document.querySelectorAll("[data-act]")].some((each) => each.checkVisibility()));
  document.activeElement.blur();
  press(",");
  await until("what was decided before", () => moments.at < tick - 20 && !moments.busy);
  press(".");
  await until("what was decided after", () => moments.at > tick - 25 && !moments.busy);

  await moments.seek(tick - 20);
  const link = document.querySelector("main a[href*='/answer/']").href;
  await go(link.baseVal ?? link);
  right("an answer as it was", shown.startsWith("answer/") && band().includes("ago"));
  right("the time machine stays", !moments.box.hidden);
  history.back();
  await until("back at the list", () => shown === "now" && moments.at === tick - 20);

  let copied = "";
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied = text; } } });
  press("c");
  await until("the link is there", () => copied.endsWith(`?at=${tick - 20}`));

  await moments.seek(tick - 8);
  byId("replay").click();
  right("it can be stopped", byId("replay").textContent.includes("Stop"));
  await until("the replay ends now", () => !moments.running && moments.at === null && band() === "");
  await moments.seek(low - 1000);
  right("not before the first", moments.at === moments.data.first);
  await go(document.querySelector(".past .back").href);
  right("back to now", moments.at === null && band() === "");
  await moments.seek(tick - 20);
  return JSON.stringify(wrong);
}

async function filmed() {
  const { tick } = moments.data;
  return (await filming.made(tick - 12, tick, moments.data, () => {})).text();
}
