/*
 * contexts.js: what vgpu/lab_wasm.h asks for: stacks that change places, by
 * JavaScript Promise Integration. One of them runs at a time.
 */

/* A program's own end: not by a trap. */
export class Ended {
    constructor(kind, code) {
        this.kind = kind;
        this.code = code;
    }
}

export class Contexts {
    #waiting = new Map(); /* context: what lets it go on */

    /* ended(error): a context's frames are gone, by a trap or an Ended. */
    constructor(ended) {
        this.ended = ended;
        this.asleep = false;
    }

    imports() {
        const suspending = (work) => new WebAssembly.Suspending(work);
        return {
            /* Firefox rejects the promise of what is ended by force, and the
             * console hears of one that nobody has got yet. */
            begun: suspending(async () => {}),
            switch: suspending((from, to) => new Promise((resolve) => {
                this.#waiting.set(from >>> 0, resolve);
                this.go(to);
            })),
            leave: suspending((to) => new Promise(() => this.go(to))),
            sleep: suspending((ms) => {
                this.asleep = true;
                return new Promise((resolve) => setTimeout(() => {
                    this.asleep = false;
                    resolve();
                }, ms));
            }),
            end: (signal) => {
                throw new Ended("signal", signal);
            },
        };
    }

    use(instance) {
        this.memory = instance.exports.memory;
        this.words = new Int32Array(0);
        this.enter = WebAssembly.promising(instance.exports.vgpu_context_enter);
    }

    /* A new one begins behind the frames that are on the stack now. Addresses
     * come as numbers with a sign. */
    go(context) {
        const to = context >>> 0;
        const wake = this.#waiting.get(to);
        if (!this.words.length) /* memory has grown, and is another buffer */
            this.words = new Int32Array(this.memory.buffer);
        const fresh = this.words[to >>> 2];

        this.#waiting.delete(to);
        if (fresh || !wake)
            queueMicrotask(() => this.enter(to).catch(this.ended));
        else
            wake();
    }
}

/* The signal by which the same would end on Linux, as browsers word it. */
const words = [
    [/divi|remainder|overflow/i, 8],
    [/unreachable/i, 4],
    [/bounds|memory access/i, 11],
    [/indirect|signature|null function|table/i, 11],
];

/* Return: {signal, full}; full: for want of stack. */
export function signalOf(error) {
    const text = String(error?.message ?? error);
    if (error instanceof RangeError || /recursion|stack/i.test(text))
        return {signal: 11, full: true};
    const found = words.find(([word]) => word.test(text));
    return {signal: found ? found[1] : 6, full: false};
}
