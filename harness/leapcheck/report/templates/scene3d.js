"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent), byId = id => document.getElementById(id);
  const canvas = byId("view"), pen = canvas.getContext("2d"), slider = byId("time"), unit = data.units;
  const HOME = {yaw: -1.05, pitch: 0.22, distance: 1.9, shift: [0, 0, 0]};
  const view = {...HOME, start: [0, 0, 0.25]}, pointers = new Map();
  let run = data.runs[0], now = 0, playing = false, last = 0, colours = {}, pinch = 0;
  const tilt = ([x, y, z], c = Math.cos(data.ground.slope), s = Math.sin(data.ground.slope)) => [c * x - s * z, y, s * x + c * z];

  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unitVector = a => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const turned = (q, p) => { // p turned by the unit quaternion wxyz
    const u = q.slice(1), t = cross(u, p).map(x => 2 * x);
    return add(add(p, t, q[0]), cross(u, t));
  };

  const SUN = unitVector([0.35, -0.5, 0.8]);

  // Meshes: faces counter-clockwise seen from outside, in body axes.
  const revolved = (profile, sides = 12) => {
    const ring = ([r, z]) => [...Array(sides).keys()].map(k => [r * Math.cos(2 * Math.PI * k / sides), r * Math.sin(2 * Math.PI * k / sides), z]);
    const rings = profile.map(ring), faces = [];
    for (let i = 0; i + 1 < rings.length; i++) for (let k = 0, l; k < sides; k++) {
      l = (k + 1) % sides;
      faces.push([rings[i][k], rings[i][l], rings[i + 1][l], rings[i + 1][k]]);
    }
    return faces;
  };
  const cap = (r, z, from, to) => [...Array(5).keys()].map(k => { const a = from + (to - from) * k / 4; return [r * Math.cos(a), z + r * Math.sin(a)]; });
  const boxed = (size, most = 6) => {
    const faces = [], parts = size.map(s => Math.max(1, Math.min(most, Math.round(s / (most > 6 ? 0.12 : 0.06))))); // small faces sort well
    for (let axis = 0; axis < 3; axis++) for (const side of [-1, 1]) {
      const a = (axis + 1) % 3, b = (axis + 2) % 3;
      for (let i = 0; i < parts[a]; i++) for (let j = 0; j < parts[b]; j++) {
        const face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([s, t]) => {
          const p = [0, 0, 0];
          p[axis] = side * size[axis] / 2; p[a] = size[a] * ((i + s) / parts[a] - 0.5); p[b] = size[b] * ((j + t) / parts[b] - 0.5);
          return p;
        });
        faces.push(side > 0 ? face : face.reverse());
      }
    }
    return faces;
  };
  const mesh = ({kind, size, p, q}) => {
    const [r, length] = size, quarter = Math.PI / 2, stretch = [0.25, 0.5, 0.75].map(s => [r, length * (s - 0.5)]);
    const faces = kind === "box" ? boxed(size)
      : kind === "sphere" ? revolved([...cap(r, 0, -quarter, 0), ...cap(r, 0, 0, quarter).slice(1)])
      : kind === "capsule" ? revolved([...cap(r, -length / 2, -quarter, 0), ...stretch, ...cap(r, length / 2, 0, quarter)])
      : revolved([[0, -length / 2], [r, -length / 2], ...stretch, [r, length / 2], [0, length / 2]]);
    return faces.map(face => face.map(v => add(turned(q, v), p)));
  };
  const solids = data.ground.boxes.map(({size, p}) => boxed(size, 40).map(face => face.map(v => tilt(add(v, p)))));
  const bodies = data.bodies.map(body => body.shapes.map(shape => ({faces: mesh(shape), tone: shape.tone})));

  // The run at a time: places of bodies, contact points, forces, com; between two pictures in a straight line.
  const at = (t, run) => {
    const time = run.time, end = time.length - 1;
    let k = 0;
    while (k < end - 1 && time[k + 1] <= t) k++;
    const next = Math.min(k + 1, end), s = next > k ? Math.min(Math.max((t - time[k]) / (time[next] - time[k]), 0), 1) : 0;
    const mixed = (rows, i, n, step) => [...Array(n).keys()].map(j => step * ((1 - s) * rows[k][i + j] + s * rows[next][i + j]));
    const poses = bodies.map((_, i) => {
      const a = run.poses[k].slice(7 * i + 3, 7 * i + 7), b = run.poses[next].slice(7 * i + 3, 7 * i + 7);
      const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
      const q = a.map((x, j) => (1 - s) * x + s * sign * b[j]), n = Math.hypot(...q) || 1;
      return {p: mixed(run.poses, 7 * i, 3, unit.length), q: q.map(x => x / n)};
    });
    const held = s >= 1 ? next : k; // a force is the mean of its stretch: held, not mixed
    const force = i => run.forces ? run.forces[held].slice(3 * i, 3 * i + 3).map(x => x * unit.force) : [0, 0, 0];
    const contacts = data.feet.map((_, i) => ({p: mixed(run.points, 3 * i, 3, unit.length), f: force(i)}));
    return {poses, contacts, com: mixed(run.com, 0, 3, unit.length)};
  };
  const path = (rows, i) => rows.map(row => row.slice(3 * i, 3 * i + 3).map(x => x * unit.length));
  const traces = run => run.traces ??= [...data.feet.flatMap((foot, i) => foot ? [["path", path(run.points, i)]] : []), ["com", path(run.com, 0)]];

  // What the sun's shadows fall on: the floor and the tops of the boxes, whose cells are [corners, plane].
  const up = tilt([0, 0, 1]);
  const planes = [data.ground.floor, ...data.ground.boxes.map(({size, p}) => p[2] + size[2] / 2)].map(z => tilt([0, 0, z]));
  const above = (p, k) => dot(add(p, planes[k], -1), up);
  const cast = (p, k) => add(p, SUN, -above(p, k) / dot(SUN, up));

  const camera = target => {
    const [sy, cy, sp, cp] = [Math.sin(view.yaw), Math.cos(view.yaw), Math.sin(view.pitch), Math.cos(view.pitch)];
    const f = [-cp * cy, -cp * sy, -sp], r = [-sy, cy, 0], u = cross(r, f), eye = add(target, f, -view.distance);
    const w = canvas.width, h = canvas.height, focal = 1.25 * Math.min(w, 1.4 * h);
    const local = p => { const d = add(p, eye, -1); return [dot(d, r), dot(d, u), dot(d, f)]; };
    const screen = ([x, y, z]) => [w / 2 + focal * x / z, h / 2 - focal * y / z];
    return {local, screen, eye, focal};
  };
  const NEAR = 0.03;
  const segment = (eye, a, b) => { // a line, cut at the near plane
    let p = eye.local(a), q = eye.local(b);
    if (p[2] < NEAR && q[2] < NEAR) return;
    if (p[2] < NEAR) [p, q] = [q, p];
    if (q[2] < NEAR) { const s = (p[2] - NEAR) / (p[2] - q[2]); q = add(p, add(q, p, -1), s); }
    pen.moveTo(...eye.screen(p)); pen.lineTo(...eye.screen(q));
  };
  const polygon = (points, path = pen) => { path.moveTo(...points[0]); for (const p of points.slice(1)) path.lineTo(...p); path.closePath(); };
  const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
  const shaded = (tone, light) => `rgb(${rgb(colours[tone]).map(c => Math.round(Math.min(255, c * (0.55 + 0.6 * light)))).join(" ")})`;
  const floor = (eye, target) => {
    const reach = 2, step = 0.1, x0 = Math.round(target[0] / step), y0 = Math.round(target[1] / step), n = reach / step;
    for (const heavy of [false, true]) {
      pen.beginPath();
      for (let i = -n; i <= n; i++) {
        const [x, y] = [(x0 + i) * step, (y0 + i) * step], half = Math.sqrt(Math.max(n * n - i * i, 0)) * step; // a round floor
        if (((x0 + i) % 5 === 0) === heavy) segment(eye, tilt([x, y0 * step - half, data.ground.floor]), tilt([x, y0 * step + half, data.ground.floor]));
        if (((y0 + i) % 5 === 0) === heavy) segment(eye, tilt([x0 * step - half, y, data.ground.floor]), tilt([x0 * step + half, y, data.ground.floor]));
      }
      pen.strokeStyle = colours.rule; pen.globalAlpha = heavy ? 1 : 0.5; pen.lineWidth = (heavy ? 1.4 : 0.8) * devicePixelRatio; pen.stroke();
    }
    pen.globalAlpha = 1;
  };
  const arrow = (eye, from, to) => {
    const p = eye.local(from), q = eye.local(to);
    if (p[2] < NEAR || q[2] < NEAR) return;
    const [a, b] = [eye.screen(p), eye.screen(q)], n = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (n < 1) return;
    const [dx, dy] = [(b[0] - a[0]) / n, (b[1] - a[1]) / n], head = Math.min(n, 9 * devicePixelRatio), c = [b[0] - head * dx, b[1] - head * dy];
    pen.strokeStyle = pen.fillStyle = colours.force; pen.lineWidth = 2.5 * devicePixelRatio;
    pen.beginPath(); pen.moveTo(...a); pen.lineTo(...c); pen.stroke();
    pen.beginPath(); polygon([b, [c[0] - dy * head / 2, c[1] + dx * head / 2], [c[0] + dy * head / 2, c[1] - dx * head / 2]]); pen.fill();
  };

  const drawTraces = eye => { // what is past in full, what is to come faint
    const past = run.time.findLastIndex(t => t <= now);
    const stroke = (line, tone, alpha, width) => {
      pen.beginPath();
      for (let k = 0; k + 1 < line.length; k++) segment(eye, line[k], line[k + 1]);
      pen.strokeStyle = colours[tone]; pen.globalAlpha = alpha; pen.lineWidth = width * devicePixelRatio; pen.stroke(); pen.globalAlpha = 1;
    };
    for (const [tone, line] of traces(run)) { stroke(line.slice(0, past + 1), tone, 0.9, tone === "com" ? 2.2 : 1.3); stroke(line.slice(past), tone, 0.3, 1.1); }
    for (const [other, tone] of ghosts()) stroke(traces(other).at(-1)[1], tone, 0.7, 1.6);
  };
  const ghosts = () => [
    ...(data.plan && byId("ghost").checked ? [[data.plan, "ghost"]] : []),
    ...(byId("all").checked ? data.runs.flatMap((other, i) => other === run ? [] : [[other, `run${i % 6}`]]) : []),
  ];
  const legend = () => {
    const rows = ghosts().map(([{name}, tone]) => {
      const row = document.createElement("li"), chip = document.createElement("i");
      chip.style.background = colours[tone];
      row.append(chip, name);
      return row;
    });
    byId("legend").replaceChildren(...rows); byId("legend").hidden = !rows.length;
    redraw();
  };

  const draw = () => {
    const {poses, contacts, com} = at(now, run), follow = byId("follow").checked;
    const base = follow ? [com[0], com[1], (0.25 + com[2]) / 2] : view.start, eye = camera(add(base, view.shift));
    pen.fillStyle = colours.sky; pen.fillRect(0, 0, canvas.width, canvas.height);
    floor(eye, base);
    const shown = [], shadows = planes.map(() => ({path: new Path2D(), low: [Infinity, Infinity], high: [-Infinity, -Infinity]}));
    const show = (world, tone, top) => {
      const normal = unitVector(cross(add(world[2], world[0], -1), add(world[3], world[1], -1)));
      if (top === undefined && dot(normal, SUN) > 0) shadows.forEach((shadow, k) => throwShadow(shadow, k, world));
      const local = world.map(eye.local);
      if (dot(normal, add(world[0], eye.eye, -1)) < 0 && local.every(p => p[2] > NEAR))
        shown.push({points: local.map(eye.screen), depth: local.reduce((sum, p) => sum + p[2], 0), fill: shaded(tone, Math.max(0, dot(normal, SUN))), top: dot(normal, up) > 0.99 && top, world});
    };
    const throwShadow = (shadow, k, world) => { // faces that see the sun all wind one way on the ground: their union is the shadow
      if (world.some(p => above(p, k) < -1e-3)) return;
      const fallen = world.map(p => cast(p, k)), local = fallen.map(eye.local);
      for (const p of fallen) for (const i of [0, 1]) { shadow.low[i] = Math.min(shadow.low[i], p[i]); shadow.high[i] = Math.max(shadow.high[i], p[i]); }
      if (local.every(p => p[2] > NEAR)) polygon(local.map(eye.screen), shadow.path);
    };
    const shade = (path, alpha, fill) => { pen.fillStyle = fill; pen.globalAlpha = alpha; pen.fill(path, "nonzero"); pen.globalAlpha = 1; };
    const placed = (poses, use) => bodies.forEach((shapes, i) => shapes.forEach(({faces, tone}) => faces.forEach(face => use(face.map(v => add(turned(poses[i].q, v), poses[i].p)), tone))));
    solids.forEach((faces, k) => faces.forEach(face => show(face, "solid", k + 1)));
    placed(poses, (world, tone) => show(world, tone));
    shade(shadows[0].path, 0.45, colours.shadow);
    shown.sort((a, b) => b.depth - a.depth);
    for (const face of shown) { // the thin stroke closes the seams between faces
      pen.beginPath(); polygon(face.points); pen.fillStyle = pen.strokeStyle = face.fill; pen.lineWidth = 0.7; pen.fill(); pen.stroke();
      const shadow = face.top && shadows[face.top];
      if (shadow && [0, 1].every(i => face.world.some(p => p[i] > shadow.low[i]) && face.world.some(p => p[i] < shadow.high[i]))) {
        pen.save(); pen.beginPath(); polygon(face.points); pen.clip(); shade(shadow.path, 0.45, colours.shadow); pen.restore();
      }
    }
    for (const [other, tone] of ghosts()) { // a flat shade: the union of the faces that are seen
      const path = new Path2D();
      placed(at(now, other).poses, world => {
        const local = world.map(eye.local), normal = cross(add(world[2], world[0], -1), add(world[3], world[1], -1));
        if (dot(normal, add(world[0], eye.eye, -1)) < 0 && local.every(p => p[2] > NEAR)) polygon(local.map(eye.screen), path);
      });
      shade(path, 0.22, colours[tone]);
    }
    if (byId("traces").checked) drawTraces(eye);
    let total = 0;
    for (const {p, f} of contacts) {
      total += f[2];
      if (byId("forces").checked) arrow(eye, p, add(p, f, 0.5 / data.weight));
    }
    const phase = data.phases.find(({start, end}) => now >= start && now < end);
    byId("state").textContent = `${now.toFixed(3)} s${phase ? ` · ${phase.name}` : ""} · com ${com[2].toFixed(3)} m · ground force ${(total / data.weight).toFixed(2)} m g`;
  };

  const frame = stamp => {
    if (playing) {
      const step = (stamp - last) / 1000; // a frame's stamp is its start: the first one may lie before the click
      now += Math.min(Math.max(step, 0), 0.1) * byId("speed").value;
      if (now >= run.time.at(-1)) now = 0;
      slider.value = now;
      requestAnimationFrame(frame);
    }
    last = stamp;
    draw();
  };
  const redraw = () => { if (!playing) draw(); };
  const setPlaying = wanted => {
    if (wanted && !playing) { last = performance.now(); requestAnimationFrame(frame); }
    playing = wanted;
    byId("play").textContent = playing ? "❚❚" : "▶"; byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  };
  const seek = t => { now = Math.min(Math.max(t, 0), run.time.at(-1)); slider.value = now; redraw(); };
  const choose = i => {
    run = data.runs[i]; slider.max = run.time.at(-1); byId("stopped").textContent = run.stopped; byId("stopped").hidden = !run.stopped;
    view.start = [run.com[0][0] * unit.length, run.com[0][1] * unit.length, 0.25]; seek(now); legend();
  };
  const reset = () => { Object.assign(view, HOME); redraw(); };
  const zoom = factor => { view.distance = Math.min(Math.max(view.distance * factor, 0.3), 12); redraw(); };
  const paint = () => { // sizes and colours of the page now
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)); canvas.height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
    const style = getComputedStyle(document.documentElement);
    for (const name of ["sky", "rule", "body", "leg", "foot", "solid", "force", "shadow", "com", "path", "ghost", ...[...Array(6).keys()].map(i => `run${i}`)]) colours[name] = style.getPropertyValue(`--${name}`).trim();
    legend();
  };

  canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); pinch = 0; });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, e => { pointers.delete(e.pointerId); pinch = 0; });
  canvas.addEventListener("pointermove", e => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const [dx, dy] = [e.clientX - before[0], e.clientY - before[1]], scale = view.distance / canvas.clientHeight / (pointers.size > 1 ? 2 : 1);
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (pointers.size > 1 || e.shiftKey) view.shift = add(add(view.shift, [-Math.sin(view.yaw), Math.cos(view.yaw), 0], -dx * scale), [0, 0, 1], dy * scale);
    else { view.yaw -= dx * 0.008; view.pitch = Math.min(Math.max(view.pitch + dy * 0.008, -0.1), 1.5); }
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], span = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (pinch) zoom(pinch / span);
      pinch = span;
    }
    redraw();
  });
  canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(Math.sign(e.deltaY) * 0.1)); }, {passive: false});
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || ["SELECT", "INPUT"].includes(e.target.tagName) && e.key !== " ") return;
    if (e.key === " " && ["BUTTON", "SELECT"].includes(e.target.tagName)) return; // the button's own key
    const keys = {" ": () => setPlaying(!playing), ArrowRight: () => seek(now + 1 / 60), ArrowLeft: () => seek(now - 1 / 60), Home: () => seek(0),
      End: () => seek(run.time.at(-1)), "+": () => zoom(0.9), "-": () => zoom(1.1), r: reset};
    const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (act) { e.preventDefault(); act(); }
  });
  slider.addEventListener("input", () => { now = +slider.value; redraw(); });
  byId("play").addEventListener("click", () => setPlaying(!playing));
  byId("reset").addEventListener("click", reset);
  byId("run").addEventListener("change", e => choose(e.target.value));
  for (const id of ["forces", "follow", "traces"]) byId(id).addEventListener("change", redraw);
  for (const id of ["ghost", "all"]) byId(id).addEventListener("change", legend);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  addEventListener("resize", paint);

  data.runs.forEach(({name}, i) => byId("run").add(new Option(name, i)));
  byId("runs").hidden = byId("others").hidden = data.runs.length < 2;
  byId("ghosts").hidden = !data.plan;
  paint(); choose(0);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
})();
