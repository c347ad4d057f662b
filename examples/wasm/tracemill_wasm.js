// SPDX-License-Identifier: MIT
//
// The three functions that the recorder for WebAssembly (tracemill_wasm.c) imports from its page:
//
//	const recorder = tracemillRecorder(bytes => socket.send(bytes));
//	const { instance } = await WebAssembly.instantiate(bytes, { ...imports, tracemill: recorder.imports });
//	recorder.attach(instance.exports.memory);
//
// write is given each part of the stream as a Uint8Array of its own.
"use strict";

function tracemillRecorder(write) {
	const call = /wasm-function\[\d+\]:0x([0-9a-f]+)/g;
	let memory = null;

	return {
		attach(exported) {
			memory = exported;
		},
		imports: {
			write(at, n) {
				write(new Uint8Array(memory.buffer, at, n).slice());
			},
			// The innermost calls of WebAssembly, as the engine prints them: offsets in the module's file.
			stack(at, max) {
				const limit = Error.stackTraceLimit;
				Error.stackTraceLimit = max + 16; // V8 takes 10 by default
				const text = new Error().stack;
				Error.stackTraceLimit = limit;
				const offsets = new Uint32Array(memory.buffer, at, max);
				let n = 0;
				for (const [, offset] of text.matchAll(call)) {
					if (n === max)
						break;
					offsets[n++] = parseInt(offset, 16);
				}
				return n;
			},
			now() {
				return performance.now();
			},
		},
	};
}

if (typeof module !== "undefined")
	module.exports = tracemillRecorder;
