"use strict";
// Tables sort by a column, and charts show the numbers of the mark under the pointer or the keyboard's focus.
const number = (cell) => {
  const text = cell.firstChild ? cell.textContent.trim().replace(/[,\u00a0%±≤<>]/g, "") : "";
  const part = /^([0-9.]+)\/([0-9.]+)/.exec(text);
  return part ? part[1] / part[2] : text === "" ? NaN : parseFloat(text);
};
const compare = (a, b) => {
  const x = number(a), y = number(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.textContent.localeCompare(b.textContent);
  return x - y;
};
for (const table of document.querySelectorAll("table")) {
  const head = [...table.querySelectorAll("thead tr:last-child > *")];
  const body = table.tBodies[0];
  if (!body || body.rows.length < 2 || body.querySelector("tr.minor")) continue; // a line below belongs to the one above
  head.forEach((cell, column) => {
    const title = cell.textContent;
    if (!title) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = cell.getAttribute("aria-sort") === "ascending";
      head.forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column]));
      body.append(...(descending ? rows.reverse() : rows));
    });
  });
}
const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("role", "status");
document.body.append(tip);
const show = (mark, x, y) => {
  tip.textContent = mark ? mark.getAttribute("aria-label") : "";
  tip.hidden = !mark;
  if (mark) tip.style.cssText = `left:${Math.min(x + 12, innerWidth - 240)}px;top:${y + 12}px`;
};
show(null);
for (const mark of document.querySelectorAll(".chart [data-mark]")) {
  mark.setAttribute("tabindex", "0");
  mark.setAttribute("role", "img");
  mark.closest(".chart > svg").setAttribute("role", "group");
  mark.addEventListener("pointermove", (event) => show(mark, event.clientX, event.clientY));
  mark.addEventListener("pointerleave", () => show(null));
  mark.addEventListener("focus", () => { const box = mark.getBoundingClientRect(); show(mark, box.right, box.top); });
  mark.addEventListener("blur", () => show(null));
}
document.addEventListener("keydown", (event) => { if (event.key === "Escape") show(null); });
