#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# tm-view --mcp by the protocol's own client library, from npm: it checks each message by its schema.
# What the tools say is held to what the programs print. Then lines that no client would send.
# timeout: 900
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}" "${DATA:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

"$GEN/trace" --seed 3 --allocs 20000 --live 500 --stacks 300 --frames 50 >a.tmt
"$GEN/trace" --seed 4 --allocs 20000 --live 700 --stacks 320 --frames 50 >b.tmt

mkdir -p src/game
for i in {1..20}; do echo "load($i);"; done >src/game/l.c
cat >run.mem <<'END'
{"f":1,"d":[{"t":"String","s":60,"r":64,"st":["Alloc (in Base) (/ci/game/a.c:4);Load (in Game) (/ci/game/l.c:2);Run (in Game) (/ci/game/m.c:3);"],"sz":[64]}]}
END
cp "$DATA/heap/after.tmt" heap.tmt

# Without a library: what the protocol's pages say of lines.
printf '%s\n' 'no JSON' '[]' '{"jsonrpc":"2.0","id":1,"method":"nothing"}' '{"jsonrpc":"2.0","method":"notifications/cancelled"}' \
	'{"jsonrpc":"2.0","id":"p","method":"ping"}' '{"jsonrpc":"2.0","id":2,"result":{}}' '{"jsonrpc":"2.0","id":3}' \
	'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"rm"}}' \
	'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"children","arguments":{"node":"9.9"}}}' \
	'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"top","arguments":{"by":"--output=x"}}}' \
	'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"top","arguments":{"limit":100000}}}' |
	tm-view -q --no-symbols --mcp a.tmt >got 2>err
check 'each request has one answer, nothing else one' [ "$(jq -c .id got | tr '\n' ' ')" = 'null null 1 "p" 3 4 5 6 7 ' ]
check 'errors have their codes' [ "$(jq -c '.error.code // empty' got | tr '\n' ' ')" = '-32700 -32600 -32601 -32600 -32602 ' ]
check 'a tool that fails says so in its result' [ "$(jq -c 'select(.result.isError) | .id' got | tr '\n' ' ')" = '5 6 7 ' ]
check 'nothing was written' [ ! -e x ]

# Revision 2026-07-28, from its pages: each request says its revision, results say that they are complete.
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{'"$meta"'}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{'"$meta"'}}' \
	'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"load",'"$meta"'}}' \
	'{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{'"${meta/2026-07-28/1900-01-01}"'}}' \
	'{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' \
	'{"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"2026-07-28"}}' |
	tm-view -q --no-symbols --mcp a.tmt >got 2>err
check 'server/discover has the revision, and the name' [ "$(jq -c 'select(.id == 1).result | [.supportedVersions, .resultType, ._meta["io.modelcontextprotocol/serverInfo"].name]' got)" = '[["2026-07-28"],"complete","tm-view"]' ]
check 'results are complete' [ "$(jq -r 'select(.id < 4).result.resultType' got | tr '\n' ' ')" = 'complete complete complete ' ]
check 'a revision that nobody knows is refused with those that are' [ "$(jq -c 'select(.id == 4).error | [.code, .data.supported, .data.requested]' got)" = '[-32022,["2026-07-28"],"1900-01-01"]' ]
check 'a handshake has the revision of its time' [ "$(jq -r 'select(.id > 4).result.protocolVersion' got | tr '\n' ' ')" = '2025-11-25 2025-11-25 ' ]

# What is misspelled, no string, or cut by a NUL is no question without a filter.
for arguments in '{"frames":"3..4"}' '{"focus":123}' '"x"' '{"focus":"\u0000abc"}'; do
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"top","arguments":%s}}\n' "$arguments"
done | tm-view -q --no-symbols --mcp a.tmt >got 2>err
check 'wrong arguments are errors that name them' [ "$(jq -r 'select(.result.isError).result.content[0].text' got | tr '\n' ';')" = 'top has no argument frames: tools/list has them;focus is not a string;arguments are not an object;focus has a NUL;' ]

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	echo 'skip - the official client: there is no node with npm'
	exit $failed
fi
# Where it was installed once it is taken from.
kept=$BUILD/mcp-client
if [ ! -d "$kept/node_modules/@modelcontextprotocol/sdk" ]; then
	mkdir -p "$kept"
	timeout 300 npm install --prefix "$kept" --no-audit --no-fund --no-save @modelcontextprotocol/sdk@1 >npm.log 2>&1
fi
if [ ! -d "$kept/node_modules/@modelcontextprotocol/sdk" ]; then
	echo 'skip - the official client: npm cannot install @modelcontextprotocol/sdk'
	exit $failed
fi
ln -s "$kept/node_modules" node_modules
cat >client.mjs <<'END'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { execFileSync } from "node:child_process";

let failed = 0;
const say = (what, ok) => { console.log((ok ? "ok - " : "not ok - ") + what); failed |= !ok; };
const report = (...words) => JSON.parse(execFileSync("tm-top", ["-q", "--as", "json", ...words], {maxBuffer: 1 << 28}));
const client = new Client({name: "test", version: "1"});
await client.connect(new StdioClientTransport({command: "tm-view", args: ["-q", "--no-symbols", "--mcp", "a.tmt", "b.tmt"], env: process.env}));
say("the server is known by name", client.getServerVersion().name === "tm-view");
const { tools } = await client.listTools();
say("tools have schemas: " + tools.map(t => t.name).join(" "), tools.length >= 10 && tools.every(t => t.inputSchema.type === "object"));
const call = async (name, args = {}) => {
	const r = await client.callTool({name, arguments: args});
	if (r.isError) throw new Error(name + ": " + r.content[0].text);
	if (JSON.stringify(JSON.parse(r.content[0].text)) !== JSON.stringify(r.structuredContent)) throw new Error(name + ": text and structure differ");
	return r.structuredContent;
};
const clean = row => Object.fromEntries(Object.entries(row).filter(([, v]) => v !== null));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const loaded = await call("load");
say("load tells both files", loaded.loaded.files.length === 2 && loaded.loaded.files.every(f => f.events > 0));
say("summary has numbers", (await call("summary", {file: "a.tmt"})).tables[0].rows.length > 0);

const want = report("--by", "type", "-n", "0", "a.tmt").sections[0].rows.map(clean), got = [];
for (let offset = 0; offset !== undefined;) {
	const page = (await call("top", {by: "type", file: "a.tmt", limit: 3, offset})).tables[0];
	got.push(...page.rows);
	offset = page.next_offset;
}
say("pages of top are the report: " + got.length + " rows", same(got, want) && got.length > 3);
const few = (await call("top", {by: "site", file: "a.tmt", frame: "10..20", limit: 5})).tables[0].rows;
say("filters are those of the command line", same(few, report("--by", "site", "--frame", "10..20", "-n", "6", "a.tmt").sections[0].rows.slice(0, 5).map(clean)));

// The tree, walked by its nodes, has the self costs of the flame graph.
const nodes = report("--by", "stack", "--table", "stacks", "a.tmt").sections.find(s => s.kind === "flame").nodes;
const root = await call("children", {file: "a.tmt"});
let sum = 0, seen = 0, deep = root.of.node;
const walk = async node => {
	for (let offset = 0; offset !== undefined;) {
		const r = await call("children", {node: node.node, offset, limit: 500});
		if (!seen++ || r.children.length) deep = r.children.length ? r.children[0].node : deep;
		for (const c of r.children) {
			sum += c.self;
			if (c.children && seen < 60) await walk(c);
			else if (c.children) sum += c.total - c.self;
		}
		offset = r.next_offset;
	}
};
await walk(root.of);
say("the tree's costs are the flame graph's", sum + root.of.self === nodes.reduce((a, n) => a + n.self, 0) && root.of.total === sum + root.of.self);
const path = (await call("path", {node: deep})).path;
say("a path ends at the root", path.at(-1).node === root.of.node && path[0].node === deep);
for (let i = 0; i < 6; i++) await call("children", {frame: i + "..20", file: "a.tmt"}); // others make it leave memory
const again = (await call("path", {node: deep})).path;
say("nodes keep their names", same(path, again));
const name = path[0].name, callers = await call("callers", {function: "^\\Q" + name + "\\E$", file: "a.tmt"});
say("callers of " + name, callers.tables[0].rows.some(r => r.relation === "called by"));
say("frames", (await call("frames", {limit: 5, file: "a.tmt"})).tables[0].rows.length === 5);
say("compare", (await call("compare", {by: "type"})).title.includes("new against base"));
say("a question as typed", (await call("query", {question: "top --by thread"})).tables.length > 0);
const bad = await client.callTool({name: "top", arguments: {by: "colour"}});
say("a wrong key is a tool's error, with the values there are", bad.isError && /site, function/.test(bad.content[0].text));
let thrown = false;
try { await client.callTool({name: "rm", arguments: {}}); } catch { thrown = true; }
say("no such tool", thrown);
await client.close();

// Source with costs, and what holds what: page by page the rows of the commands.
const more = new Client({name: "test", version: "1"});
await more.connect(new StdioClientTransport({command: "tm-view", args: ["-q", "--source-dir", "src", "--mcp", "run.mem", "heap.tmt"], env: process.env}));
const pages = async (name, args) => {
	const rows = [];
	for (let offset = 0; offset !== undefined;) {
		const r = await more.callTool({name, arguments: {...args, limit: 4, offset}});
		if (r.isError) throw new Error(name + ": " + r.content[0].text);
		const page = r.structuredContent.tables[0];
		rows.push(...page.rows);
		offset = page.next_offset;
	}
	return rows;
};
const rows = (program, ...words) => JSON.parse(execFileSync(program, ["-q", "--as", "json", ...words])).sections[0].rows.map(clean);
const lines = await pages("source_lines", {function: "Load", file: "run.mem"});
say("source lines are tm-top --source: " + lines.length, lines.some(r => r.text === "load(2);") && same(lines, rows("tm-top", "--source", "Load", "--source-dir", "src", "run.mem")));
const held = await pages("dominators", {min: "0", file: "heap.tmt"});
say("dominators are tm-heap --dominators: " + held.length, held.length > 4 && same(held, rows("tm-heap", "--dominators", "--min", "0", "heap.tmt")));
await more.close();
process.exit(failed);
END
node client.mjs 2>err || failed=1
# The client of the revisions from 2026-07-28 on.
if [ ! -d "$kept/node_modules/@modelcontextprotocol/client" ]; then
	timeout 300 npm install --prefix "$kept" --no-audit --no-fund --no-save @modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2 >npm.log 2>&1
fi
if [ -d "$kept/node_modules/@modelcontextprotocol/client" ]; then
	cat >modern.mjs <<'END'
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { execFileSync } from "node:child_process";

let failed = 0;
const say = (what, ok) => { console.log((ok ? "ok - " : "not ok - ") + what); failed |= !ok; };
for (const mode of ["auto", {pin: "2026-07-28"}, "legacy"]) {
	const word = mode.pin || mode, client = new Client({name: "test", version: "1"}, {versionNegotiation: {mode}});
	await client.connect(new StdioClientTransport({command: "tm-view", args: ["-q", "--no-symbols", "--mcp", "a.tmt"], env: process.env}));
	say(word + ": the revision is " + client.getNegotiatedProtocolVersion(), client.getNegotiatedProtocolVersion() === (word === "legacy" ? "2025-11-25" : "2026-07-28"));
	say(word + ": the server's name", client.getServerVersion().name === "tm-view");
	const { tools } = await client.listTools();
	say(word + ": tools: " + tools.length, tools.length >= 10);
	const rows = (await client.callTool({name: "top", arguments: {by: "type", limit: 3}})).structuredContent.tables[0].rows;
	const want = JSON.parse(execFileSync("tm-top", ["-q", "--as", "json", "--by", "type", "-n", "4", "a.tmt"])).sections[0].rows.slice(0, 3).map(r => Object.fromEntries(Object.entries(r).filter(([, v]) => v !== null)));
	say(word + ": rows of tm-top", JSON.stringify(rows) === JSON.stringify(want));
	await client.close();
}
process.exit(failed);
END
	node modern.mjs 2>err || failed=1
	check 'this client came to its end' eval '! grep -q Error err'
else
	echo 'skip - the client of 2026-07-28: npm cannot install @modelcontextprotocol/client'
fi
check 'the client came to its end' eval '! grep -q Error err'
exit $failed
