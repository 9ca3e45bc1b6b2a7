"use strict";
/* Light, dark, or as the system has it: what was chosen before is there before anything is painted. */

const THEME = "antelog theme", THEMES = ["system", "light", "dark"];

function theme(chosen) {
  document.documentElement.dataset.theme = chosen;
  localStorage.setItem(THEME, chosen);
}

document.documentElement.dataset.theme = localStorage.getItem(THEME) || "system";
