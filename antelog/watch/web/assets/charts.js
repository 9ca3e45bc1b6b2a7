"use strict";
/* Charts of time: uPlot draws what is in the tables, which stay for those who see no canvas. */

const charts = new Map();
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function numbersOf(figure) {
  const rows = [...figure.querySelectorAll("tbody tr")];
  const columns = rows.length ? [...rows[0].querySelectorAll("td")].map(() => []) : [];
  for (const row of rows) row.querySelectorAll("td").forEach((cell, n) => columns[n].push(cell.dataset.value === "" ? null : Number(cell.dataset.value)));
  const scale = figure.dataset.zone ? 1000 : 1;
  if (figure.dataset.kind === "counts") stack(columns);
  return [rows.map((row) => Number(row.dataset.at) / scale), ...columns];
}

/* Counts stand on each other: the last is the lowest. */
function stack(columns) {
  for (let at = columns.length - 2; at >= 0; at--) columns[at] = columns[at].map((each, n) => each + columns[at + 1][n]);
}

const colourOf = (kind, head) => variable(kind !== "counts" ? "info" : { rejected: "mild", lost: "other" }[head] || head);

/* Times of the day, with the date where there are several; ticks as numbers. */
function labels(zone) {
  return (_, found) => {
    if (!zone) return found.map((tick) => Number.isInteger(tick) ? tick : "");
    const step = found.length > 1 ? found[1] - found[0] : 1, date = { day: "numeric", month: "short" }, time = { hour: "2-digit", minute: "2-digit" };
    const shape = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...(step >= 43_200 ? date : step >= 60 ? time : { ...time, second: "2-digit" }) });
    return found.map((at) => shape.format(at * 1000));
  };
}

function optionsOf(figure, box) {
  const { kind, zone, level, most } = figure.dataset, grid = { stroke: variable("grid"), width: 1 }, ticks = { show: false };
  const font = `11.5px ${variable("sans")}`, axis = { stroke: variable("muted"), grid, ticks, font };
  const heads = [...figure.querySelectorAll("thead th")].slice(1).map((head) => head.textContent);
  const series = heads.map((label) => ({
    label, stroke: colourOf(kind, label), width: kind === "counts" ? 0 : 2, points: { show: kind === "chance" },
    fill: kind === "chance" ? undefined : kind === "counts" ? colourOf(kind, label) : variable("info-soft"),
    paths: kind === "chance" ? uPlot.paths.stepped({ align: 1 }) : kind === "counts" ? uPlot.paths.bars({ size: [0.9], align: 1 }) : undefined,
  }));
  const line = (chart) => {
    if (level === undefined) return;
    const y = chart.valToPos(Number(level), "y", true), pen = chart.ctx;
    pen.save();
    pen.strokeStyle = variable("muted");
    pen.setLineDash([4, 4]);
    pen.beginPath();
    pen.moveTo(chart.bbox.left, y);
    pen.lineTo(chart.bbox.left + chart.bbox.width, y);
    pen.stroke();
    pen.restore();
  };
  return {
    width: box.clientWidth, height: kind === "counts" ? 110 : kind === "rate" ? 150 : 190,
    legend: { show: false }, cursor: { drag: { x: kind === "counts", y: false, setScale: false }, points: { show: kind !== "counts" } },
    scales: { x: { time: Boolean(zone), range: (_, low, high) => low < high ? [low, high] : [low - (zone ? 60 : 1), high + (zone ? 60 : 1)] }, y: kind === "chance" ? { range: [0, 1.02] } : { range: (_, low, high) => [0, Number(most) || high || 1] } },
    axes: [
      { ...axis, size: 26, space: 90, grid: { show: false }, values: labels(zone) },
      { ...axis, size: 46, space: 28, values: (_, found) => found.map((v) => kind === "chance" ? `${Math.round(100 * v)} %` : v.toLocaleString("en")) },
    ],
    series: [{}, ...series],
    hooks: { draw: [line], setSelect: [(chart) => kind === "counts" && chart.select.width > 3 && brush(figure, chart)] },
  };
}

/* A stretch that is drawn in a histogram becomes part of the address. */
function brush(figure, chart) {
  const rows = [...figure.querySelectorAll("tbody tr")], edges = chart.data[0];
  const low = chart.posToVal(chart.select.left, "x"), high = chart.posToVal(chart.select.left + chart.select.width, "x");
  const inside = rows.filter((_, n) => (edges[n + 1] ?? Infinity) > low && edges[n] < high);
  if (!inside.length) return;
  const address = new URL(location.href);
  address.searchParams.set("between", `${inside[0].dataset.first}..${inside.at(-1).dataset.last}`);
  go(address.href);
}

/* A chart listens to the window, which holds it, and its whole view, until it is destroyed. */
function dropCharts() {
  for (const [figure, { chart }] of charts) if (!figure.isConnected) { chart.destroy(); charts.delete(figure); }
}

function drawCharts() {
  dropCharts();
  for (const figure of document.querySelectorAll(".plot")) {
    const box = figure.querySelector(".canvas");
    if (!box) continue;
    const numbers = numbersOf(figure), known = charts.get(figure), key = `${JSON.stringify(numbers)} ${box.clientWidth} ${variable("paper")}`;
    if (known?.key === key && box.firstChild) continue;
    if (!numbers[0].length || !box.clientWidth) continue;
    known?.chart.destroy();
    charts.set(figure, { key, chart: new uPlot(optionsOf(figure, box), numbers, box) });
  }
}
