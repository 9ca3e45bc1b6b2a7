"use strict";
/* Facts as tables: a tab for each input, a row for each fact, and an empty row at the end to write the next one.
   Enter goes down; rows that are pasted from a spreadsheet fill as many cells. */

const sheets = {
  tables: {}, shown: null, changed: () => {},

  /* Takes the tables of the server. One that is being typed in stays as it is, unless its columns are others. */
  take(tables, anew) {
    const before = this.tables;
    this.tables = {};
    for (const [name, { columns, rows }] of Object.entries(tables)) {
      const known = before[name];
      const same = !anew && known && known.columns.join("\n") === columns.join("\n");
      this.tables[name] = same ? known : { columns: [...columns], rows: rows.map((row) => [...row]) };
    }
    const names = Object.keys(this.tables);
    if (!names.includes(this.shown)) this.shown = names[0] ?? null;
    if (anew || this.tables[this.shown] !== before[this.shown] || names.join("\n") !== Object.keys(before).join("\n")) this.draw();
  },

  draw() {
    const tabs = byId("sheet-tabs"), names = Object.keys(this.tables);
    tabs.replaceChildren(...names.map((name) => {
      const tab = Object.assign(document.createElement("button"), { type: "button", textContent: name, role: "tab" });
      tab.setAttribute("aria-selected", name === this.shown);
      tab.tabIndex = name === this.shown ? 0 : -1;
      tab.addEventListener("click", () => this.show(name));
      return tab;
    }));
    const table = this.tables[this.shown], box = byId("sheet");
    if (!table) { box.replaceChildren(this.note("The program has no input yet. Facts get a table here once it has one.")); return; }
    const made = document.createElement("table"), head = made.createTHead().insertRow(), body = made.createTBody();
    made.className = "sheet";
    for (const name of table.columns) head.append(Object.assign(document.createElement("th"), { textContent: name, scope: "col" }));
    head.append(this.corner(table));
    table.rows.forEach((_, at) => body.append(this.row(at)));
    body.append(this.row(table.rows.length));
    box.replaceChildren(made);
    this.mark();
  },

  /* The last cell of the header: where facts have no arrival, a button gives them one. */
  corner(table) {
    const cell = document.createElement("td");
    if (table.columns.includes("arrival")) return cell;
    const more = Object.assign(document.createElement("button"), { type: "button", className: "more", textContent: "+ arrival", title: "A column for the tick at which each fact arrives" });
    more.addEventListener("click", () => {
      table.columns.push("arrival");
      for (const row of table.rows) row.push("");
      this.draw();
      this.changed();
    });
    cell.append(more);
    return cell;
  },

  note(text) { return Object.assign(document.createElement("p"), { className: "note", textContent: text }); },

  show(name) { this.shown = name; this.draw(); byId("sheet-tabs").querySelector("[aria-selected=true]").focus(); },

  row(at) {
    const table = this.tables[this.shown], row = document.createElement("tr");
    table.columns.forEach((name, column) => {
      const cell = Object.assign(document.createElement("input"), { value: table.rows[at]?.[column] ?? "", autocomplete: "off", spellcheck: false });
      if (name === "arrival" && !cell.value) cell.placeholder = "at once";
      cell.setAttribute("aria-label", `${name}, row ${at + 1}`);
      row.insertCell().append(cell);
    });
    const away = Object.assign(document.createElement("button"), { type: "button", textContent: "×", title: "Delete this row", className: "away" });
    away.setAttribute("aria-label", `Delete row ${at + 1}`);
    row.insertCell().append(away);
    return row;
  },

  place(cell) { const at = cell.closest("tr"); return { row: at.sectionRowIndex, column: cell.closest("td").cellIndex }; },

  set(row, column, value) {
    const table = this.tables[this.shown];
    while (table.rows.length <= row) table.rows.push(table.columns.map(() => ""));
    table.rows[row][column] = value;
  },

  typed(cell) {
    const { row, column } = this.place(cell), body = cell.closest("tbody");
    this.set(row, column, cell.value);
    if (body.rows.length === this.tables[this.shown].rows.length) body.append(this.row(body.rows.length));
    this.changed();
  },

  paste(cell, text) {
    const lines = text.replace(/\r/g, "").replace(/\n$/, "").split("\n").map((line) => line.split(line.includes("\t") ? "\t" : ","));
    if (lines.length === 1 && lines[0].length === 1) return false;
    const { row, column } = this.place(cell), { columns } = this.tables[this.shown];
    const named = lines[0].every((each) => columns.includes(each.trim()));
    (named ? lines.slice(1) : lines).forEach((values, down) => values.forEach((value, right) => {
      const to = named ? columns.indexOf(lines[0][right]?.trim()) : column + right;
      if (to >= 0 && to < columns.length) this.set(row + down, to, value.trim());
    }));
    this.draw();
    this.changed();
    return true;
  },

  remove(row) {
    const table = this.tables[this.shown];
    if (row >= table.rows.length) return;
    table.rows.splice(row, 1);
    this.draw();
    byId("sheet").querySelectorAll("tbody tr")[Math.min(row, table.rows.length)].querySelector("input").focus();
    this.changed();
  },

  move(cell, down, right = 0) {
    const row = cell.closest("tr"), to = row.parentElement.rows[row.sectionRowIndex + down];
    to?.cells[cell.closest("td").cellIndex + right]?.querySelector("input")?.focus();
  },

  /* Rows that were set aside, each with the reason. */
  aside: [],
  mark() {
    const here = this.aside.filter((each) => each.table === this.shown), rows = byId("sheet").querySelectorAll("tbody tr");
    rows.forEach((row, at) => {
      const why = here.find((each) => each.row === at)?.why;
      row.classList.toggle("aside", Boolean(why));
      row.title = why || "";
    });
    byId("aside").replaceChildren(...this.aside.slice(0, 20).map(({ table, row, why }) => {
      const item = document.createElement("li"), link = Object.assign(document.createElement("button"), { type: "button", textContent: `${table}, row ${row + 1}: ${why}` });
      link.addEventListener("click", () => { this.show(table); byId("sheet").querySelectorAll("tbody tr")[row]?.querySelector("input").focus(); });
      item.className = "warning";
      item.append(link);
      return item;
    }));
  },

  begin(changed) {
    this.changed = changed;
    const box = byId("sheet");
    box.addEventListener("input", (event) => this.typed(event.target));
    box.addEventListener("paste", (event) => { if (this.paste(event.target, event.clipboardData.getData("text"))) event.preventDefault(); });
    box.addEventListener("click", (event) => { if (event.target.matches(".away")) this.remove(this.place(event.target).row); });
    box.addEventListener("keydown", (event) => {
      const step = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && event.target.matches("input")) { event.preventDefault(); this.move(event.target, step); }
    });
    byId("sheet-tabs").addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], names = Object.keys(this.tables);
      if (step) this.show(names[(names.indexOf(this.shown) + step + names.length) % names.length]);
    });
  },
};
