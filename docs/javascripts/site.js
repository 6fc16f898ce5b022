// What the theme leaves out for those who use a keyboard or a screen reader; it adds parts of the page after it was loaded.
function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const box of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) if (box.tabIndex !== 0) box.tabIndex = 0;
  for (const nav of document.querySelectorAll(".md-nav .md-nav:not([role]), .md-code__nav:not([role])")) {
    nav.setAttribute("role", "presentation");
    for (const name of ["aria-labelledby", "aria-expanded", "aria-label"]) nav.removeAttribute(name);
  }
}
document.addEventListener("DOMContentLoaded", () => {
  mend();
  new MutationObserver(mend).observe(document.body, {childList: true, subtree: true, attributeFilter: ["tabindex"]});
});
