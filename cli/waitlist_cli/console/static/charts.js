// Draws the counts of a waitlist over time with uPlot. The colours come from the style sheet.

const COLOURS = { waiting: "--main", joined: "--green", admitted: "--violet", left: "--amber", offered: "--violet", inside: "--green", parked: "--amber", entered: "--green", declined: "--amber", no_shows: "--red" };
// The charts that begin with these series count events since the previous point, so they are drawn in steps.
const FLOWS = ["joined", "entered"];
const areFlows = (names) => FLOWS.includes(names[0]);
const LENGTHS = { hour: 3600, day: 86400, week: 604800 };
const REFRESH_MILLIS = 30000;
// Sizes are in rem, because the style sheet enlarges the root font on very large screens.
const HEIGHT_REM = 13;
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
const numbers = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en");

export function drawCharts(section) {
  const timeZone = section.dataset.zone;
  let period = "hour";
  let last = null;
  const plots = new Map();
  const boxes = [...section.querySelectorAll(".chart")];

  async function load() {
    if (document.hidden) return;
    const asked = period;
    let response;
    try {
      response = await fetch(`${section.dataset.charts}?period=${asked}`);
    } catch {
      return; // The page's own refresh reports that the console does not answer.
    }
    if (!response.ok || asked !== period) return;
    last = await response.json();
    for (const box of boxes) draw(box, last);
  }

  function draw(box, columns) {
    const names = box.dataset.series.split(" ");
    plots.get(box)?.destroy();
    const styles = getComputedStyle(document.documentElement);
    const colour = (name) => styles.getPropertyValue(name).trim();
    const now = Date.now() / 1000;
    const data = [columns.at, ...names.map((name) => columns[name])];
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: `${0.8 * rem()}px system-ui, sans-serif` };
    const flows = areFlows(names);
    const options = {
      width: box.clientWidth,
      height: HEIGHT_REM * rem(),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
      padding: [8, 1.5 * rem(), 0, 0], // room for half of the last time label
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { range: [now - LENGTHS[period], now] }, y: { range: (_, least, most) => [0, scaleEnd(most)] } },
      axes: [
        { ...axis, size: 1.9 * rem(), space: 4.7 * rem(), values: (_, splits) => times(splits, timeZone) },
        { ...axis, size: 3.5 * rem(), space: 2.3 * rem(), incrs: INCREMENTS, values: (_, splits) => splits.map((value) => numbers.format(value)) },
      ],
      series: [
        {},
        ...names.map((name) => ({
          label: name,
          stroke: colour(COLOURS[name]),
          width: 1.6,
          fill: names.length === 1 ? `${colour(COLOURS[name])}22` : undefined,
          paths: flows ? uPlot.paths.stepped({ align: -1 }) : undefined,
          points: { show: columns.at.length < 2 },
          spanGaps: false,
        })),
      ],
      hooks: { setCursor: [(plot) => keys(box, names, columns, plot.cursor.idx, colour, timeZone, period)] },
    };
    const plot = new uPlot(options, data, box);
    plots.set(box, plot);
    keys(box, names, columns, null, colour, timeZone, period);
    const root = plot.root;
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", summary(names, columns, period));
  }

  for (const button of section.querySelectorAll("[data-period]")) {
    button.addEventListener("click", () => {
      period = button.dataset.period;
      for (const one of section.querySelectorAll("[data-period]")) one.setAttribute("aria-pressed", String(one === button));
      load();
    });
  }
  new ResizeObserver(() => {
    for (const [box, plot] of plots) if (plot.width !== box.clientWidth) plot.setSize({ width: box.clientWidth, height: HEIGHT_REM * rem() });
  }).observe(section);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => last && boxes.forEach((box) => draw(box, last)));
  document.addEventListener("visibilitychange", load);
  setInterval(load, REFRESH_MILLIS);
  load();
}

const INCREMENTS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

function scaleEnd(most) {
  if (!most || most < 4) return 4;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((digit) => digit * power).find((end) => end >= most * 1.04) ?? most * 1.1;
}

function times(splits, timeZone) {
  const span = splits.length > 1 ? splits.at(-1) - splits[0] : 0;
  let day = null;
  return splits.map((value) => {
    const at = new Date(value * 1000);
    const date = at.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone });
    const clock = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
    if (span > 86400 * 2) return clock === "00:00" || date !== day ? (day = date) : clock;
    return clock;
  });
}

// If the pointer is on no point, show the total of a series that counts events, and the latest value of any other.
function keys(box, names, columns, index, colour, timeZone, period) {
  const caption = box.parentElement.querySelector("figcaption");
  const title = (caption.dataset.title ??= caption.textContent);
  const at = index ?? columns.at.length - 1;
  const isTotal = index == null && areFlows(names);
  const parts = names.map((name) => {
    const key = document.createElement("span");
    key.className = "key";
    const value = isTotal ? total(columns[name]) : columns[name][at];
    const shown = value == null ? "–" : whole.format(value);
    key.append(dot(colour(COLOURS[name])), names.length === 1 ? shown : `${words(name)} ${shown}`);
    return key;
  });
  const when = document.createElement("span");
  when.className = "key";
  if (isTotal) when.textContent = `in the last ${period}`;
  if (index != null) when.textContent = new Date(columns.at[at] * 1000).toLocaleTimeString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone });
  caption.replaceChildren(title, ...parts, when);
}

// The total is null if nothing has been counted yet.
const total = (values) => values.reduce((sum, value) => (value == null ? sum : (sum ?? 0) + value), null);

const words = (name) => (name === "parked" ? "set aside" : name.replaceAll("_", "-"));

function dot(fill) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 8 8");
  svg.setAttribute("aria-hidden", "true");
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of Object.entries({ cx: 4, cy: 4, r: 4, fill })) circle.setAttribute(name, value);
  svg.append(circle);
  return svg;
}

function summary(names, columns, period) {
  const texts = names.map((name) => {
    const known = columns[name].filter((value) => value != null);
    if (!known.length) return `${words(name)}: no counts yet`;
    if (areFlows(names)) return `${words(name)}: ${whole.format(total(known))} in total`;
    return `${words(name)}: now ${whole.format(known.at(-1))}, at least ${whole.format(Math.min(...known))}, at most ${whole.format(Math.max(...known))}`;
  });
  return `Chart of the last ${period}. ${texts.join("; ")}.`;
}
