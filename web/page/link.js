/* link.js: a program in the part of an address that no server gets
 *
 *     #p1.BASE64URL of deflate-raw of {"t": text, "d": device, "g": GPUs}
 *
 * What comes in a link is foreign. It is only ever text in the editor, nothing
 * of it runs before somebody presses Run, and it is cut off where it would
 * unpack to more than MOST_TEXT.
 */
export const MOST_LINK = 16000; // letters; more is cut by mail and chats
const MOST_TEXT = 100000, MOST_GPUS = 8;
const START = "#p1.";

async function through(stream, bytes, most) {
  const writer = stream.writable.getWriter();
  // What cannot be unpacked fails in the reader below, which says so.
  writer.write(bytes).then(() => writer.close()).catch(() => {});
  const parts = [];
  let size = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const {done, value} = await reader.read();
    if (done) {
      break;
    }
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new Error("too long");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The hash for a program, or null where it would be too long. */
export async function toHash({text, device, gpus}) {
  const packed = await through(new CompressionStream("deflate-raw"),
    new TextEncoder().encode(JSON.stringify({t: text, d: device, g: gpus})),
    MOST_LINK);
  const hash = START + btoa(String.fromCharCode(...packed))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return hash.length <= MOST_LINK ? hash : null;
}

/** What a hash holds: {text, device, gpus}; null where it is no program's.
 * Throws an Error with words where it is damaged or too long.
 * @param devices the ids that there are */
export async function fromHash(hash, devices) {
  if (!hash.startsWith(START)) {
    return null;
  }
  if (hash.length > 2 * MOST_LINK) {
    throw new Error("The link is too long: its program was not taken.");
  }
  let said;
  try {
    const packed = Uint8Array.from(atob(hash.slice(START.length)
      .replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    said = JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(
      await through(new DecompressionStream("deflate-raw"), packed,
        MOST_TEXT)));
  } catch {
    throw new Error("The link is damaged: its program cannot be read.");
  }
  if (typeof said?.t !== "string") {
    throw new Error("The link is damaged: there is no program in it.");
  }
  return {text: said.t, device: devices.includes(said.d) ? said.d : null,
    gpus: Number.isInteger(said.g) && said.g >= 1 && said.g <= MOST_GPUS ?
      said.g : 1};
}
