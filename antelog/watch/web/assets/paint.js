"use strict";
/* A picture of what is in sight: backgrounds, borders, texts and SVG shapes, painted one by one on a canvas.
   No library and no image from anywhere is needed, so the page's strict policy can stay as it is. */

async function antelogPaint(doc) {
  const scale = Math.max(2, devicePixelRatio), canvas = doc.createElement("canvas");
  canvas.width = innerWidth * scale;
  canvas.height = innerHeight * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = getComputedStyle(doc.documentElement).backgroundColor;
  pen.fillRect(0, 0, innerWidth, innerHeight);
  paintAll(pen, doc.body, 1);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function paintAll(pen, element, opacity) {
  const style = getComputedStyle(element);
  if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("details:not([open]) > :not(summary)") || element.classList.contains("hidden") || element.matches("dialog:not([open])")) return;
  const box = element.getBoundingClientRect();
  if (box.width && (box.bottom < 0 || box.top > innerHeight)) return;
  const own = opacity * Number(style.opacity);
  pen.save();
  pen.globalAlpha = own;
  if (element instanceof SVGElement && element.tagName !== "svg") paintShape(pen, element, style);
  else paintBox(pen, box, style);
  pen.restore();
  for (const child of element.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) paintAll(pen, child, own);
    else if (child.nodeType === Node.TEXT_NODE && child.data.trim() && !["TITLE", "title", "OPTION"].includes(element.tagName)) paintText(pen, child, style, own);
  }
  if (element.matches("input[type=search], select")) paintField(pen, element, box, style);
}

const seen = (colour) => colour && colour !== "none" && !/, 0\)$|\/ 0\)$/.test(colour) && colour !== "transparent";

function paintBox(pen, box, style) {
  const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2, box.width / 2);
  pen.beginPath();
  pen.roundRect(box.x, box.y, box.width, box.height, radius);
  if (seen(style.backgroundColor)) { pen.fillStyle = style.backgroundColor; pen.fill(); }
  const sides = { Top: [0, 0, 1, 0], Bottom: [0, 1, 1, 1], Left: [0, 0, 0, 1], Right: [1, 0, 1, 1] };
  const widths = Object.keys(sides).map((side) => parseFloat(style[`border${side}Width`]));
  if (widths.every((width) => width > 0)) {
    if (seen(style.borderTopColor)) { pen.strokeStyle = style.borderTopColor; pen.lineWidth = widths[0]; pen.stroke(); }
    return;
  }
  Object.entries(sides).forEach(([side, [x1, y1, x2, y2]], n) => {
    if (!widths[n] || !seen(style[`border${side}Color`])) return;
    pen.strokeStyle = style[`border${side}Color`];
    pen.lineWidth = widths[n];
    pen.beginPath();
    pen.moveTo(box.x + x1 * box.width, box.y + y1 * box.height);
    pen.lineTo(box.x + x2 * box.width, box.y + y2 * box.height);
    pen.stroke();
  });
}

/* Word by word, each where the browser has put it. */
function paintText(pen, node, style, opacity) {
  pen.save();
  pen.globalAlpha = opacity;
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.fillStyle = node.parentElement instanceof SVGElement ? style.fill : style.color;
  pen.textBaseline = "alphabetic";
  const range = node.ownerDocument.createRange();
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const place = range.getClientRects()[0];
    if (!place || !place.width || place.bottom < 0 || place.top > innerHeight) continue;
    const size = pen.measureText(word[0]), up = size.fontBoundingBoxAscent, down = size.fontBoundingBoxDescent;
    const text = style.textTransform === "uppercase" ? word[0].toUpperCase() : word[0];
    pen.fillText(text, place.x, place.y + (place.height - up - down) / 2 + up, place.width + 1);
  }
  pen.restore();
}

function paintField(pen, element, box, style) {
  const text = element.options ? element.selectedOptions[0].textContent : element.value || element.placeholder || "";
  if (!element.options && !element.value) pen.globalAlpha = 0.55;
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.fillText(text, box.x + parseFloat(style.paddingLeft), box.y + box.height / 2, box.width - 20);
  pen.globalAlpha = 1;
}

function paintShape(pen, element, style) {
  const path = shapeOf(element), matrix = element.getScreenCTM?.();
  if (!path || !matrix) return;
  pen.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
  if (seen(style.fill)) { pen.globalAlpha *= Number(style.fillOpacity); pen.fillStyle = style.fill; pen.fill(path); }
  if (seen(style.stroke)) {
    pen.strokeStyle = style.stroke;
    pen.lineWidth = parseFloat(style.strokeWidth);
    pen.lineCap = style.strokeLinecap;
    pen.lineJoin = style.strokeLinejoin;
    pen.setLineDash(style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat));
    pen.stroke(path);
  }
}

function shapeOf(element) {
  const n = (name) => parseFloat(element.getAttribute(name)) || 0, path = new Path2D();
  switch (element.tagName) {
    case "path": return new Path2D(element.getAttribute("d"));
    case "circle": {
      const box = element.getBBox();
      path.arc(box.x + box.width / 2, box.y + box.height / 2, n("r"), 0, 2 * Math.PI);
      return path;
    }
    case "line": path.moveTo(n("x1"), n("y1")); path.lineTo(n("x2"), n("y2")); return path;
    case "rect": {
      const box = element.getBBox();  // lengths may be percentages
      path.roundRect(box.x, box.y, box.width, box.height, Math.min(n("rx"), box.width / 2));
      return path;
    }
  }
  return null;
}
