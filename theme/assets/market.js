// What Material's script leaves to be wished for: boxes that scroll must be in reach of a keyboard, and the
// copy button of a code block is no landmark.
addEventListener("load", () => {
  for (const bar of document.querySelectorAll(".md-code__nav")) bar.setAttribute("role", "none");
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  }
});

// On a phone the pages of a section are one row that scrolls: the current one has to be in sight.
for (const here of document.querySelectorAll(".oo-siblings [aria-current]")) {
  const row = here.closest("ul");
  const [own, whole] = [here.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += own.left + own.width / 2 - whole.left - whole.width / 2;
}

// Pages that do more than show: their modules are fetched only where their mark stands.
for (const [mark, module] of [["[data-board]", "./board.js"], ["[data-compare]", "./compare.js"]]) {
  if (document.querySelector(mark)) import(module);
}
