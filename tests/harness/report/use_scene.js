// Uses scene3d.html as a person would; what the page then shows stands in an element "found" (test_jump_browser.py).
const byId = id => document.getElementById(id)
const canvas = byId("view")
const found = {errors: []}
addEventListener("error", e => found.errors.push(e.message))

const pixels = () => new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)
const colours = () => new Set(pixels()).size
const differs = (a, b) => a.reduce((n, x, i) => n + (x !== b[i]), 0) / a.length
const state = () => byId("state").textContent
const key = name => canvas.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}))
const seek = t => {
  byId("time").value = t
  byId("time").dispatchEvent(new Event("input"))
}
const drag = (from, to, more = {}) => {
  canvas.dispatchEvent(new PointerEvent("pointerdown", {pointerId: 1, clientX: from[0], clientY: from[1], bubbles: true, ...more}))
  canvas.dispatchEvent(new PointerEvent("pointermove", {pointerId: 1, clientX: to[0], clientY: to[1], bubbles: true, ...more}))
}
const release = id => canvas.dispatchEvent(new PointerEvent("pointerup", {pointerId: id, bubbles: true}))
canvas.setPointerCapture = () => {} // made-up pointers cannot be captured

addEventListener("load", () => {
  found.playing = byId("play").getAttribute("aria-label")
  key(" ")
  found.paused = byId("play").getAttribute("aria-label")

  key("Home")
  Object.assign(found, {home: state(), colours: colours(), size: [canvas.width, canvas.height]})
  const start = pixels()
  const against_start = () => differs(start, pixels())
  key("ArrowRight")
  found.step = +byId("time").value
  key("Home")
  found.again = against_start()

  byId("forces").click()
  found.forces = against_start()
  byId("forces").click()
  for (const id of ["traces", "all", "ghost"]) {
    byId(id).click()
    found[id] = against_start()
    if (id !== "traces") found[`${id}_legend`] = byId("legend").textContent
    byId(id).click()
  }
  found.legend_hidden = byId("legend").hidden
  drag([100, 100], [160, 120])
  release(1)
  found.turned = against_start()
  key("r")
  found.reset = against_start()
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -1, cancelable: true}))
  found.zoomed = against_start()
  byId("reset").click()
  drag([100, 100], [100, 160], {shiftKey: true})
  release(1)
  found.moved = against_start()
  key("r")
  drag([100, 100], [100, 100])
  drag([200, 100], [220, 100], {pointerId: 2})
  canvas.dispatchEvent(new PointerEvent("pointermove", {pointerId: 2, clientX: 260, clientY: 100}))
  release(1)
  release(2)
  found.pinched = against_start()
  key("r")
  found.reset_again = against_start()

  seek(0.73)
  found.flight = state()
  key("End")
  found.end = +byId("time").value
  byId("run").value = 1
  byId("run").dispatchEvent(new Event("change"))
  found.second = [byId("stopped").textContent, byId("stopped").hidden, +byId("time").max]

  byId("speed").value = 1
  key("Home")
  key(" ")
  for (let k = 0; k <= 24; k++) { // 0.4 s of frames; a browser's first one began 7 ms before the key
    frames.splice(0).forEach(frame => frame((1000 * k) / 60 - 7))
    found.first ??= state()
  }
  found.later = +byId("time").value
  key(" ")
  const pre = document.createElement("pre")
  pre.id = "found"
  pre.textContent = JSON.stringify(found)
  document.body.append(pre)
})
