/* steps.mjs: a timeline that is revealed moment by moment, so that a class can
 * say what comes next. What starts at one time appears together. Ticks of the
 * axis come when they are reached, since where the axis ends is the answer. */

const BAR = /<rect class="(?:tl-b )?tl-(?:h2d|sm|d2h|copy|peer|host)(?: tl-o)?" x="([\d.]+)"[^>]* width="([\d.]+)"/;
const LABEL = /<text class="tl-t tl-(?:n|e)\b/;
const TICK = /<path class="tl-grid" d="M([\d.]+) [\d.]+V/;
const TICK_LABEL = /<text class="tl-t tl-c tl-m" x="([\d.]+)"/;
const LAST = /<text class="tl-t tl-r tl-m"|<text class="tl-t tl-bad"|class="tl-(?:hazard|wait|halo)"/;

/* Return: {first, steps}: SVG of what is there from the start, and of what each
 * step adds, all of one size. */
export function stepsOf(svg) {
  const [, head, body] = svg.match(/^([\s\S]*?<\/style>)([\s\S]*)<\/svg>\s*$/);
  const frame = head.replace(/<title[\s\S]*?<\/desc>/, "");
  const still = [], bars = [], ticks = [], last = [];
  let bar = null;

  for (const line of body.split("\n").filter(Boolean)) {
    const at = line.match(BAR), tick = line.match(TICK) ||
      line.match(TICK_LABEL);
    if (at) {
      bar = {x: Number(at[1]), end: Number(at[1]) + Number(at[2]), text: line};
      bars.push(bar);
    } else if (LABEL.test(line)) {
      bar.text += line;
    } else if (tick) {
      ticks.push({x: Number(tick[1]), text: line});
    } else {
      (LAST.test(line) ? last : still).push(line);
    }
  }
  const starts = [...new Set(bars.map(({x}) => Math.round(x)))]
    .sort((a, b) => a - b);
  let reached = 0;
  const steps = starts.map((start, i) => {
    const now = bars.filter(({x}) => Math.round(x) === start);
    const before = reached;
    reached = Math.max(reached, ...now.map(({end}) => end + 1));
    const final = i === starts.length - 1;
    return [...ticks.filter(({x}) => (x > before || i === 0) &&
      (x <= reached || final)), ...now].map(({text}) => text)
      .concat(final ? last : []).join("\n");
  });
  const whole = (text) => `${frame}\n${text}\n</svg>`;
  return {first: head + "\n" + still.join("\n") + "\n</svg>",
    steps: steps.map(whole)};
}
