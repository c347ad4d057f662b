// SPDX-License-Identifier: MIT
//
// Worker threads, the pool of libuv (compression, digests, files), a child process.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

if (!isMainThread) {
	const map = {};
	for (let i = 0; i < 20000; i++)
		map['key ' + (i % 700)] = Buffer.alloc(100, workerData);
	parentPort.postMessage(Object.keys(map).length);
} else {
	const zlib = require('zlib'), crypto = require('crypto'), fs = require('fs');
	const { execFileSync } = require('child_process');
	const one = (n) => new Promise((done) => new Worker(__filename, { workerData: n }).on('message', done));
	const packed = (n) => new Promise((done) => zlib.deflate(Buffer.alloc(100000, n), (e, b) => done(b.length > 0)));
	const key = (n) => new Promise((done) => crypto.pbkdf2('a' + n, 's', 1000, 8, 'sha256', (e, k) => done(k.toString('hex'))));
	(async () => {
		console.log(await Promise.all([1, 2, 3, 4].map(one)));
		console.log(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(packed)));
		console.log(await Promise.all([1, 2, 3].map(key)));
		console.log((await fs.promises.readFile(__filename)).length > 0);
		console.log(execFileSync('echo', ['from a child']).toString().trim());
	})();
}
