const numeric = text => {
  const number = parseFloat(text.replace(/^[^\d.∞-]+/, "").replace("∞", "Infinity"))
  return Number.isNaN(number) ? null : number
}

function compare(a, b) {
  const [x, y] = [numeric(a), numeric(b)]
  if (x !== null && y !== null) return x - y
  if (x !== null || y !== null) return x !== null ? -1 : 1
  return a.localeCompare(b)
}

function sort(table, column, header) {
  const down = header.getAttribute("aria-sort") === "ascending"
  for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort")
  header.setAttribute("aria-sort", down ? "descending" : "ascending")
  const rows = [...table.tBodies[0].rows]
  const key = row => (row.cells[column]?.innerText ?? "").trim()
  rows.sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b)))
  table.tBodies[0].append(...rows)
}

for (const table of document.querySelectorAll("table.sortable")) {
  if (table.tBodies[0].rows.length < 2) continue
  for (const [column, header] of [...table.tHead.rows[0].cells].entries()) {
    if (!header.textContent.trim()) continue
    const button = document.createElement("button")
    button.type = "button"
    button.className = "sort"
    button.append(...header.childNodes)
    button.addEventListener("click", () => sort(table, column, header))
    header.append(button)
  }
}

const filters = document.querySelector(".filters")
if (filters) {
  const [engine, quantity] = ["e", "q"].map(name => filters.querySelector(`[data-filter=${name}]`))
  const apply = () => {
    for (const part of document.querySelectorAll("[data-e], [data-q]")) {
      const { e, q } = part.dataset
      part.hidden = Boolean((engine.value && e && !e.split(" ").includes(engine.value)) || (quantity.value && q && q !== quantity.value))
    }
  }
  filters.hidden = false
  filters.addEventListener("change", apply)
  apply()
}

function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true
  if (target) target.scrollIntoView()
}

addEventListener("hashchange", unfold)
unfold()

for (const heading of document.querySelectorAll("main h2[id]")) {
  if (heading.closest("summary")) continue // a link inside a control is none
  const link = document.createElement("a")
  link.href = `#${heading.id}`
  link.className = "anchor"
  link.textContent = "#"
  link.setAttribute("aria-label", `Link to ${heading.textContent}`)
  heading.append(" ", link)
}
