// SPDX-License-Identifier: MIT
//
// node run.cjs game.wasm game.tmt
"use strict";
const fs = require("fs");
const tracemillRecorder = require("./tracemill_wasm.js");

const out = fs.openSync(process.argv[3], "w");
const recorder = tracemillRecorder(bytes => fs.writeSync(out, bytes));
const code = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const instance = new WebAssembly.Instance(code, { tracemill: recorder.imports });
recorder.attach(instance.exports.memory);
instance.exports.run();
