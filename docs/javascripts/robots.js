// Filters and sorts the table of public robots.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.getElementById("robots");
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows];
  const inputs = [...document.querySelectorAll(".robot-filter input")], count = document.querySelector(".robot-filter output");
  const filter = () => {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !inputs.every(i => row.cells[i.dataset.filter].textContent.toLowerCase().includes(i.value.toLowerCase()));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  inputs.forEach(input => input.addEventListener("input", filter));
  [...table.tHead.rows[0].cells].forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    [...table.tHead.rows[0].cells].forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down > 0 ? "ascending" : "descending");
    const key = row => row.cells[column].textContent;
    rows.sort((a, b) => down * key(a).localeCompare(key(b), "en", {numeric: true}));
    body.append(...rows);
  }));
  filter();
});
