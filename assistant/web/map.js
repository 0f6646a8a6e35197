/* The map: points on a canvas, labels above them, the last answer's sources ringed. */
(() => {
  "use strict";
  const store = window.askPapers;
  const one = (selector, root = document) => root.querySelector(selector);
  const EDGE = 28;
  let map = null;
  const MOST_SPOTS = 2500;
  let at = -1;
  let labelled = "";

  store.chosenCard = () => {
    if (store.state.view !== "map" || !store.state.chosen) return "";
    const card = one("#ap-chosen .ap-card");
    return card && one(".ap-id", card).textContent === store.state.chosen ? card.outerHTML : "";
  };

  store.openMap = () => {
    if (map) draw();
    else store.send("map");
  };

  store.receivers.map = (said) => {
    const note = one(".ap-map-note");
    if (said.problem) { note.textContent = said.problem; return; }
    map = said.map;
    labelled = "";
    const { held, shown, points } = map;
    const all = held === 1 ? "1 paper" : `${held.toLocaleString()} papers`;
    note.textContent = !points.length
      ? "There are no vectors to lay out: the map needs an embedder and at least two papers."
      : shown < held
        ? `A sample of ${shown.toLocaleString()} of ${all}; near means alike, colours are topics.`
        : `${all}; near means alike, colours are topics.`;
    draw();
  };

  const dark = () => document.body.classList.contains("dark");
  const colour = (topic) => {
    const hue = (topic * 360) / Math.max(1, map.topics.length) + 20;
    return dark() ? `hsl(${hue} 55% 68%)` : `hsl(${hue} 62% 36%)`;
  };

  function place(canvas) {
    const { width, height } = canvas.getBoundingClientRect();
    return ([x, y]) => [EDGE + x * (width - 2 * EDGE), EDGE + (1 - y) * (height - 2 * EDGE)];
  }

  function draw() {
    const canvas = one(".ap-map-canvas");
    if (!map || !canvas || store.state.view !== "map") return;
    const { width, height } = canvas.getBoundingClientRect();
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.body);
    const toPlace = place(canvas);
    const sources = new Set(store.lastSources());
    const size = Math.max(1.8, Math.min(6, 60 / Math.sqrt(map.points.length)));
    const ring = style.getPropertyValue("--ap-mark-line");
    const ink = style.getPropertyValue("--ap-ink");
    const circle = (x, y, radius) => { pen.beginPath(); pen.arc(x, y, radius, 0, 2 * Math.PI); };
    const marked = (point, i) => sources.has(point[3]) || i === at || point[3] === store.state.chosen;
    const one_ = (point, i) => {
      const [x, y] = toPlace(point);
      const source = sources.has(point[3]);
      pen.globalAlpha = sources.size && !marked(point, i) ? 0.45 : 0.9;
      pen.fillStyle = colour(point[2]);
      circle(x, y, source ? Math.max(5, size) : size);
      pen.fill();
      if (!marked(point, i)) return;
      pen.globalAlpha = 1;
      pen.lineWidth = source ? 3.5 : 2;
      pen.strokeStyle = source ? ring : ink;
      circle(x, y, Math.max(5, size) + 4);
      pen.stroke();
    };
    map.points.forEach((point, i) => { if (!marked(point, i)) one_(point, i); });
    map.points.forEach((point, i) => { if (marked(point, i)) one_(point, i); });
    canvas.dataset.sources = sources.size;
    label(toPlace, width, height, sources, size);
  }

  /* A label stands at its own topic, where it covers no other label, no source, and the fewest points. */
  function label(toPlace, width, height, sources, size) {
    const now = [width, height, dark(), ...sources].join(" ");
    if (labelled === now) return;
    labelled = now;
    const every = Math.ceil(map.points.length / MOST_SPOTS);
    const spots = map.points.filter((point, i) => i % every === 0 || sources.has(point[3])).map((point) => {
      const [x, y] = toPlace(point);
      return sources.has(point[3]) ? { x, y, room: 12, cost: 40 } : { x, y, room: size + 1, cost: map.points.length > 400 ? 1 : 6 };
    });
    const labels = one(".ap-map-labels");
    labels.replaceChildren();
    const topics = map.topics.map((words, topic) => {
      const own = map.points.filter((point) => point[2] === topic).map(toPlace);
      const middle = (axis) => own.map((p) => p[axis]).sort((a, b) => a - b)[Math.floor(own.length / 2)];
      return { words, topic, count: own.length, x: middle(0), y: middle(1) };
    }).filter(({ words, count }) => words && count).sort((a, b) => b.count - a.count);
    const taken = [];
    topics.forEach((topic) => {
      const shown = document.createElement("span");
      shown.className = "ap-map-label";
      shown.textContent = topic.words;
      shown.style.setProperty("--ap-topic", colour(topic.topic));
      labels.append(shown);
      const box = roomFor(topic, { w: shown.offsetWidth, h: shown.offsetHeight }, { width, height, spots, taken, topics });
      if (!box) { shown.remove(); return; }
      shown.style.left = `${box.x}px`;
      shown.style.top = `${box.y}px`;
      taken.push(box);
    });
  }

  function roomFor(own, { w, h }, { width, height, spots, taken, topics }) {
    const apart = (a, b) => a.x + w + 8 < b.x || b.x + b.w + 8 < a.x || a.y + h + 4 < b.y || b.y + b.h + 4 < a.y;
    const cost = ({ x, y }) => {
      const [midX, midY] = [x + w / 2, y + h / 2];
      const away = (topic) => Math.hypot((topic.x - midX) / 2, topic.y - midY);
      const covered = spots.reduce((sum, { x: left, y: top, room, cost: each }) => (
        left > x - room && left < x + w + room && top > y - room && top < y + h + room ? sum + each : sum), 0);
      return covered + (away(own) / 22) ** 2 + (topics.some((other) => away(other) < away(own)) ? 30 : 0);
    };
    let best = null;
    [0, 14, 30, 48, 70, 95, 125].forEach((far) => [-1, 1].forEach((up) => [-0.8, -0.4, 0, 0.4, 0.8].forEach((beside) => {
      const box = { x: Math.max(4, Math.min(own.x - w / 2 + beside * w, width - w - 4)), y: own.y - h / 2 + up * far, w, h };
      if (box.y < 3 || box.y + h > height - 3 || !taken.every((other) => apart(box, other))) return;
      box.cost = cost(box);
      if (!best || box.cost < best.cost) best = box;
    })));
    return best;
  }

  function near(event) {
    const canvas = one(".ap-map-canvas");
    const frame = canvas.getBoundingClientRect();
    const toPlace = place(canvas);
    let best = -1;
    let least = 18;
    map.points.forEach((point, i) => {
      const [x, y] = toPlace(point);
      const distance = Math.hypot(x - (event.clientX - frame.left), y - (event.clientY - frame.top));
      if (distance < least) { least = distance; best = i; }
    });
    return best;
  }

  function point(i) {
    const tip = one(".ap-map-tip");
    if (i === at) return;
    at = i;
    tip.hidden = i < 0;
    if (i >= 0) {
      const canvas = one(".ap-map-canvas");
      const [x, y] = place(canvas)(map.points[i]);
      tip.textContent = map.points[i][4];
      tip.style.left = `${Math.max(6, Math.min(x + 12, canvas.clientWidth - tip.offsetWidth - 6))}px`;
      tip.style.top = `${y + 14 + tip.offsetHeight > canvas.clientHeight ? y - tip.offsetHeight - 12 : y + 14}px`;
    }
    draw();
  }

  function open(i) {
    if (i < 0) return;
    store.state.chosen = map.points[i][3];
    store.send("card", { id: store.state.chosen });
    document.body.classList.add("ap-sheet-open");
    draw();
  }

  /* The next point in the direction of an arrow. */
  function step(key) {
    if (at < 0) return 0;
    const axis = key === "ArrowLeft" || key === "ArrowRight" ? 0 : 1;
    const sign = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
    const from = map.points[at];
    let best = at;
    let least = Infinity;
    map.points.forEach((to, i) => {
      const ahead = sign * (to[axis] - from[axis]);
      if (i === at || ahead <= 0) return;
      const cost = ahead + 2 * Math.abs(to[1 - axis] - from[1 - axis]);
      if (cost < least) { least = cost; best = i; }
    });
    return best;
  }

  document.addEventListener("pointermove", (event) => {
    if (map && event.target.matches && event.target.matches(".ap-map-canvas")) point(near(event));
  });
  document.addEventListener("click", (event) => {
    if (map && event.target.matches(".ap-map-canvas")) { point(near(event)); open(at); }
  });
  document.addEventListener("keydown", (event) => {
    if (!map || !event.target.matches(".ap-map-canvas")) return;
    if (event.key.startsWith("Arrow")) { event.preventDefault(); point(step(event.key)); }
    if (event.key === "Enter") open(at);
  });
  window.addEventListener("resize", draw);
  store.redrawMap = draw;
})();
