/* links.mjs --seconds N | --count N [--seed S]: links to the playground that are
 * damaged, lie, burst or are no links, read by web/page/link.js. Each gives null, a
 * program that fits the page, or an error with words; none takes more than five
 * seconds or 500 MB. Says the longest time and the most memory, and closes with
 * `N passed, N failed`, one for each link.
 */
import {deflateRawSync} from "node:zlib";
import {fromHash, MOST_LINK, toHash} from "../../web/page/link.js";

const START = "#p1.", DEVICES = ["h200", "k20"];
const MOST_SECONDS = 5, MOST_MB = 500, MOST_TEXT = 100000;

let state = 0n;

/** One of 0 to count - 1. */
function pick(count) {
  const mask = (1n << 64n) - 1n;
  state = (state + 0x9e3779b97f4a7c15n) & mask;
  let z = ((state ^ state >> 30n) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ z >> 27n) * 0x94d049bb133111ebn) & mask;
  return Number((z ^ z >> 31n) % BigInt(count));
}

const any = (list) => list[pick(list.length)];
const noise = (most) => Array.from({length: pick(most)},
  () => String.fromCharCode(pick(pick(4) ? 128 : 65536))).join("");

function linkTo(bytes) {
  return START + Buffer.from(bytes).toString("base64url");
}

const pack = (text) => deflateRawSync(Buffer.from(text));

const PROGRAMS = ["int main() {}\n", "__global__ void k() {}\n".repeat(40),
  "// ä \u{1f600}\n", "", "x".repeat(3000)];
const VALUES = [null, true, 0, -1, 1.5, 9, 1e308, "", "x", "8", [], {}, [1],
  "__proto__", "h200", {toString: 1}, "<script>"];

const KINDS = {
  good: () => toHash({text: any(PROGRAMS), device: any(DEVICES), gpus: 1 + pick(8)}),
  async changed() {
    const link = Array.from(await KINDS.good());
    for (let i = any([1, 1, 2, 9]); i > 0; i--) {
      link[pick(link.length)] = any(["A", "_", "-", "=", "%", " ", "\0", "ä", "#"]);
    }
    return link.join("");
  },
  async cut() {
    const link = await KINDS.good();
    return link.slice(0, pick(link.length + 1));
  },
  async joined() {
    return await KINDS.cut() + (await KINDS.good()).slice(pick(30));
  },
  bits() {
    const packed = pack(JSON.stringify({t: any(PROGRAMS), d: "h200", g: 1}));
    for (let i = any([1, 1, 3, 20]); i > 0; i--) {
      packed[pick(packed.length)] ^= 1 << pick(8);
    }
    return linkTo(packed);
  },
  values() {
    return linkTo(pack(JSON.stringify(any([
      {t: any(VALUES), d: any(VALUES), g: any(VALUES)}, any(VALUES),
      {t: "x", d: any(VALUES), g: any(VALUES)}, [any(VALUES)],
      {["__proto__"]: any(VALUES), t: any(VALUES)}]))));
  },
  noJson: () => linkTo(pack(any(["{", "[".repeat(90000), "{\"t\":".repeat(9000),
    "nul", "\ufeff{}", noise(300), "\"" + "\\u0000".repeat(900) + "\"", "1e999",
    "{\"t\":\"x\",\"t\":1}", "-".repeat(99999)]))),
  notUtf8: () => linkTo(deflateRawSync(Buffer.from(any([[255, 254], [0xed, 0xa0, 0x80],
    [123, 0xc0, 0x80], [0xf8, 1, 2]])))),
  bomb: () => linkTo(pack(any([" ", "[", "a\n", "\0"]).repeat(
    any([99000, 101000, 1 << 21, 1 << 23])))),
  long: () => START + "A".repeat(any([MOST_LINK, 2 * MOST_LINK - 4, 2 * MOST_LINK + 1,
    1 << 22])),
  noise: () => any(["", "#", START, "#p2.", "p1."]) + noise(any([3, 40, 4000])),
  notPacked: () => linkTo(any([[], [0], [1, 0, 0, 255, 255], [5], [7],
    [1, 255, 255, 0, 0, 65], Array.from({length: pick(200)}, () => pick(256))])),
};

/** What is wrong with how it was read, or null. */
async function judge(link) {
  let said;
  try {
    said = await fromHash(link, DEVICES);
  } catch (error) {
    return error.constructor === Error && /^The link is /.test(error.message) ? null :
      `it throws ${error.stack}`;
  }
  if (said === null) {
    return link.startsWith(START) ? "it is no program's?" : null;
  }
  return typeof said.text === "string" && said.text.length <= MOST_TEXT &&
    (said.device === null || DEVICES.includes(said.device)) &&
    Number.isInteger(said.gpus) && said.gpus >= 1 && said.gpus <= 8 ? null :
    `it gives ${JSON.stringify(said).slice(0, 200)}`;
}

async function main(how, value, seed) {
  const names = Object.keys(KINDS);
  const began = performance.now();
  let passed = 0, failed = 0, longest = 0;
  const more = () => how === "--count" ? passed + failed < value :
    performance.now() - began < 1000 * value;
  for (; more(); seed++) {
    state = BigInt(seed);
    const kind = any(names);
    const link = await KINDS[kind]();
    const from = performance.now();
    let wrong = await judge(link);
    const seconds = (performance.now() - from) / 1000;
    longest = Math.max(longest, seconds);
    if (kind === "good" && !wrong && !await fromHash(link, DEVICES).catch(() => null)) {
      wrong = "a good one is refused";
    }
    wrong ??= seconds > MOST_SECONDS ? `${seconds.toFixed(1)} s` : null;
    if (wrong) {
      failed++;
      console.log(`not ok seed ${seed}: ${wrong} (${kind})`);
    } else {
      passed++;
    }
  }
  const most = process.resourceUsage().maxRSS / 1024;
  console.log(`links ${passed + failed} inputs, seeds up to ${seed - 1}; the longest ` +
    `${longest.toFixed(2)} s, the most ${most.toFixed(0)} MB`);
  if (most > MOST_MB) {
    console.log(`not ok ${most.toFixed(0)} MB`);
    failed++;
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

const [how, value, , seed] = process.argv.slice(2);
if (!["--seconds", "--count"].includes(how) || !(Number(value) > 0)) {
  console.error("usage: links.mjs --seconds N | --count N [--seed S]");
  process.exit(2);
}
process.exit(await main(how, Number(value), Number(seed ?? 0)));
