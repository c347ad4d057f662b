-- SPDX-License-Identifier: MIT
--
-- lua add-marks.lua [--header TEXT] FILE >MARKED: a Lua source with a mark at the beginning and the end of each
-- function, for engines in which hooks may not be used. tracemill-lua(3) describes it.
--
-- Nothing moves to another line. A function's body stands in do ... end, so that its goto and labels stay as they
-- were. A return of values passes them through leave. A return of one call (a tail call) passes the function and
-- its arguments through tail, which leaves before it calls; a method is looked up before the arguments are evaluated.

local default_header = 'local __tm=require("tracemill").marks'

-- ---- tokens: kind (name, keyword, number, string, or the symbol itself), text, first and last byte, line ----

local keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"):gmatch("%a+") do
	keywords[word] = true
end
local symbols = {"...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", ".."}

local function fail(name, line, what)
	error(string.format("%s:%d: %s", name, line, what), 0)
end

local function long_end(source, at)
	local level = source:match("^%[(=*)%[", at)
	if not level then return nil end
	local _, last = source:find("]" .. level .. "]", at + #level + 2, true)
	return last or false
end

local function short_end(source, at)
	local quote, i = source:sub(at, at), at + 1
	while i <= #source do
		local c = source:sub(i, i)
		if c == quote then return i end
		if c == "\n" then return false end
		if c == "\\" then
			local skipped = source:match("^z%s*()", i + 1)
			if skipped then
				i = skipped - 1
			elseif source:match("^\r\n", i + 1) then
				i = i + 2
			else
				i = i + 1
			end
		end
		i = i + 1
	end
	return false
end

local function number_end(source, at)
	local i = at
	local hexadecimal = source:match("^0[xX]", at)
	while i <= #source do
		local c = source:sub(i, i)
		if not c:match("[%w.]") and not (c:match("[+-]") and source:sub(i - 1, i - 1):match(hexadecimal and "[pP]" or "[eE]")) then
			break
		end
		i = i + 1
	end
	return i - 1
end

local function tokens_of(source, name)
	local list, at, line = {}, 1, 1
	local first = source:match("^\239\187\191()") or 1
	if source:sub(first, first) == "#" then
		at = (source:find("\n", first, true) or #source + 1)
	else
		at = first
	end
	local start = at
	local function skip(last)
		local _, n = source:sub(at, last):gsub("\n", "")
		line = line + n
		at = last + 1
	end
	while at <= #source do
		local c = source:sub(at, at)
		if c:match("%s") then
			skip(at)
		elseif source:sub(at, at + 1) == "--" then
			local last = long_end(source, at + 2)
			if last == false then fail(name, line, "a comment has no end") end
			skip(last or (source:find("\n", at, true) or #source + 1) - 1)
		else
			local kind, last
			if c:match("[%a_\128-\255]") then
				last = select(2, source:find("^[%w_\128-\255]+", at))
				kind = keywords[source:sub(at, last)] and "keyword" or "name"
			elseif c:match("%d") or source:match("^%.%d", at) then
				kind, last = "number", number_end(source, at)
			elseif c == '"' or c == "'" then
				kind, last = "string", short_end(source, at)
			elseif source:match("^%[=*%[", at) then
				kind, last = "string", long_end(source, at)
			else
				for _, s in ipairs(symbols) do
					if source:sub(at, at + #s - 1) == s then
						last = at + #s - 1
						break
					end
				end
				last = last or at
			end
			if not last then fail(name, line, "a string has no end") end
			local text = source:sub(at, last)
			list[#list + 1] = {kind = kind == "keyword" and text or kind or text, text = text, first = at, last = last, line = line}
			skip(last)
		end
	end
	list[#list + 1] = {kind = "<end>", text = "<end>", first = #source + 1, last = #source, line = line}
	return list, start
end

-- ---- the grammar: each function reads from p.at on; edits are texts before a byte, or in place of bytes ----

local parse = {}

local function peek(p) return p.tokens[p.at].kind end
local function step(p)
	p.at = p.at + 1
	return p.tokens[p.at - 1]
end
-- In 5.1 and LuaJIT goto is a name, too; where a name has to be, it is nothing else in any Lua.
local function is_next(p, kind)
	local t = p.tokens[p.at]
	if kind == "name" and t.kind == "goto" then t.kind = "name" end
	return t.kind == kind
end
local function expect(p, kind)
	local t = p.tokens[p.at]
	if not is_next(p, kind) then fail(p.name, t.line, string.format("%s expected near %s", kind, t.text)) end
	return step(p)
end
local function accept(p, kind)
	return is_next(p, kind) and step(p)
end

local function insert(p, before, text)
	p.edits[#p.edits + 1] = {at = before, stop = before, text = text, order = #p.edits}
end
local function replace(p, first, last, text)
	p.edits[#p.edits + 1] = {at = first, stop = last + 1, text = text, order = #p.edits}
end

local block_ends = {["end"] = true, ["else"] = true, ["elseif"] = true, ["until"] = true, ["<end>"] = true}

local function enter_text(p, name, line)
	return string.format("local __tm_d=__tm.enter(%q,%q,%d) do ", name, p.name, line)
end
local leave_text = " end __tm.leave(__tm_d)"

-- Parameters and body of a function, behind the word function.
function parse.body(p, name, line)
	expect(p, "(")
	while not accept(p, ")") do
		if not (accept(p, "name") or accept(p, "...")) then expect(p, ")") end
		if not accept(p, ",") then
			expect(p, ")")
			break
		end
	end
	insert(p, p.tokens[p.at - 1].last + 1, " " .. enter_text(p, name, line))
	parse.block(p)
	insert(p, p.tokens[p.at].first, leave_text:sub(2) .. " ")
	expect(p, "end")
end

function parse.list(p)
	repeat parse.expression(p) until not accept(p, ",")
end

function parse.table(p)
	expect(p, "{")
	while not accept(p, "}") do
		if accept(p, "[") then
			parse.expression(p)
			expect(p, "]")
			expect(p, "=")
			parse.expression(p)
		elseif p.tokens[p.at + 1].kind == "=" and is_next(p, "name") then
			local field = step(p)
			step(p)
			parse.expression(p, field.text)
		else
			parse.expression(p)
		end
		if not (accept(p, ",") or accept(p, ";")) then
			expect(p, "}")
			break
		end
	end
end

-- A name or an expression in parentheses, with all that follows it; what its last part is: "call" (with the place of
-- its arguments, and of the colon where it is one of a method), "index", "name" or "parentheses".
function parse.suffixed(p)
	local last = {kind = "name"}
	if accept(p, "(") then
		parse.expression(p)
		expect(p, ")")
		last.kind = "parentheses"
	else
		expect(p, "name")
	end
	while true do
		local k, colon = peek(p), nil
		if k == "." then
			step(p)
			expect(p, "name")
			last = {kind = "index"}
		elseif k == "[" then
			step(p)
			parse.expression(p)
			expect(p, "]")
			last = {kind = "index"}
		else
			if k == ":" then
				colon = step(p)
				expect(p, "name")
				k = peek(p)
				if k ~= "(" and k ~= "{" and k ~= "string" then expect(p, "(") end
			end
			if k ~= "(" and k ~= "{" and k ~= "string" then return last end
			last = {kind = "call", colon = colon, arguments = p.at}
			if k == "(" then
				step(p)
				if peek(p) ~= ")" then parse.list(p) end
				expect(p, ")")
			elseif k == "{" then
				parse.table(p)
			else
				step(p)
			end
			last.stop = p.at - 1
		end
	end
end

local binary = {}
for op in ("+ - * / % ^ .. == ~= < <= > >= // & | ~ << >> and or"):gmatch("%S+") do binary[op] = true end
local unary = {["not"] = true, ["-"] = true, ["#"] = true, ["~"] = true}
local simple = {number = true, string = true, ["nil"] = true, ["true"] = true, ["false"] = true, ["..."] = true}

-- name: of a function that this may be, where it is known. What it is, where it is one call and nothing else.
function parse.expression(p, name)
	local whole, first = true, p.at
	while unary[peek(p)] do
		step(p)
		whole = false
	end
	local k, last = peek(p), nil
	if simple[k] then
		step(p)
	elseif k == "{" then
		parse.table(p)
	elseif k == "function" then
		local t = step(p)
		parse.body(p, name or "function", t.line)
	else
		last = parse.suffixed(p)
		last.first = first
	end
	if binary[peek(p)] then
		step(p)
		parse.expression(p)
		return nil
	end
	return whole and last and last.kind == "call" and last or nil
end

local function mark_tail(p, call)
	local from, open, close = p.tokens[call.first], p.tokens[call.arguments], p.tokens[call.stop]
	if call.colon then
		local method = p.tokens[call.arguments - 1]
		insert(p, from.first, "__tm.method(__tm_d,")
		replace(p, call.colon.first, call.colon.last, ",")
		replace(p, method.first, method.last, '"' .. method.text .. '")')
		return
	end
	insert(p, from.first, "__tm.tail(__tm_d,")
	if open.kind == "(" then
		replace(p, open.first, open.last, call.arguments + 1 == call.stop and "" or ",")
	else
		insert(p, open.first, ",")
		insert(p, close.last + 1, ")")
	end
end

function parse.returns(p)
	local word = step(p)
	if block_ends[peek(p)] or peek(p) == ";" then
		insert(p, word.last + 1, " __tm.leave(__tm_d)")
	else
		local first = p.tokens[p.at]
		local call = parse.expression(p)
		local several = peek(p) == ","
		if several then
			step(p)
			parse.list(p)
		end
		if call and not several then
			mark_tail(p, call)
		else
			insert(p, first.first, "__tm.leave(__tm_d,")
			insert(p, p.tokens[p.at - 1].last + 1, ")")
		end
	end
	accept(p, ";")
end

local statement = {}
statement["if"] = function(p)
	repeat
		step(p)
		parse.expression(p)
		expect(p, "then")
		parse.block(p)
	until peek(p) ~= "elseif"
	if accept(p, "else") then parse.block(p) end
	expect(p, "end")
end
statement["while"] = function(p)
	step(p)
	parse.expression(p)
	statement["do"](p)
end
statement["do"] = function(p)
	expect(p, "do")
	parse.block(p)
	expect(p, "end")
end
statement["for"] = function(p)
	step(p)
	repeat expect(p, "name") until not accept(p, ",")
	if not accept(p, "=") then expect(p, "in") end
	parse.list(p)
	statement["do"](p)
end
statement["repeat"] = function(p)
	step(p)
	parse.block(p)
	expect(p, "until")
	parse.expression(p)
end
statement["function"] = function(p)
	local line, name = step(p).line, expect(p, "name").text
	while peek(p) == "." or peek(p) == ":" do
		name = name .. step(p).text
		name = name .. expect(p, "name").text
	end
	parse.body(p, name, line)
end
statement["local"] = function(p)
	local line = step(p).line
	if accept(p, "function") then
		parse.body(p, expect(p, "name").text, line)
		return
	end
	local name
	repeat
		local t = expect(p, "name")
		name = name or t.text
		if accept(p, "<") then
			expect(p, "name")
			expect(p, ">")
		end
	until not accept(p, ",")
	if accept(p, "=") then
		parse.expression(p, name)
		if accept(p, ",") then parse.list(p) end
	end
end
statement["break"] = step
statement[";"] = step
statement["::"] = function(p)
	step(p)
	expect(p, "name")
	expect(p, "::")
end
statement["goto"] = function(p)
	step(p)
	expect(p, "name")
end

local function assignment_or_call(p)
	local first = p.tokens[p.at]
	local last = parse.suffixed(p)
	if last.kind == "call" and peek(p) ~= "," and peek(p) ~= "=" then return end
	local name = first.kind == "name" and p.source:sub(first.first, p.tokens[p.at - 1].last):match("^[%w_.]+$")
	while accept(p, ",") do parse.suffixed(p) end
	expect(p, "=")
	parse.expression(p, name)
	if accept(p, ",") then parse.list(p) end
end

function parse.block(p)
	while not block_ends[peek(p)] do
		local t = p.tokens[p.at]
		if t.kind == "return" then
			parse.returns(p)
			if not block_ends[peek(p)] then expect(p, "end") end
		-- LuaJIT and 5.2 on have goto; in 5.1 it is a name.
		elseif t.kind == "goto" and p.tokens[p.at + 1].kind ~= "name" then
			t.kind = "name"
			assignment_or_call(p)
		elseif statement[t.kind] then
			statement[t.kind](p)
		else
			assignment_or_call(p)
		end
	end
end

local function apply(source, edits)
	local out, at = {}, 1
	table.sort(edits, function(a, b)
		if a.at ~= b.at then return a.at < b.at end
		-- What is opened last is innermost, so it comes behind; replaced bytes come behind what is before them.
		if (a.stop > a.at) ~= (b.stop > b.at) then return b.stop > b.at end
		return a.order < b.order
	end)
	for _, e in ipairs(edits) do
		out[#out + 1] = source:sub(at, e.at - 1)
		out[#out + 1] = e.text
		at = math.max(at, e.stop)
	end
	out[#out + 1] = source:sub(at)
	return table.concat(out)
end

local function add_marks(source, name, header)
	local p = {source = source, name = name, at = 1, edits = {}}
	local start
	p.tokens, start = tokens_of(source, name)
	if source:sub(1, 1) == "\27" then fail(name, 1, "this is compiled Lua, no source") end
	if peek(p) == "<end>" then return source end -- comments
	insert(p, p.tokens[1].first, header .. " " .. enter_text(p, "main chunk", 0))
	parse.block(p)
	if peek(p) ~= "<end>" then fail(name, p.tokens[p.at].line, "<end> expected near " .. p.tokens[p.at].text) end
	-- Not behind a comment in the last line.
	local last = p.tokens[p.at - 1]
	insert(p, (last and last.last or start - 1) + 1, leave_text)
	return apply(source, p.edits)
end

local function usage()
	io.stderr:write("usage: lua add-marks.lua [--header TEXT] FILE >MARKED\n")
	os.exit(2)
end

-- As a file is: Lua has limits on local variables and upvalues, and marks need some.
local function loaded(source, path)
	local text = source:gsub("^\239\187\191", ""):gsub("^#[^\n]*", "")
	return (loadstring or load)(text, "@" .. path)
end

local function main(...)
	local header, path = default_header, nil
	local i, words = 1, {...}
	while i <= #words do
		if words[i] == "--header" then
			i = i + 1
			header = words[i] or usage()
		elseif path then
			usage()
		else
			path = words[i]
		end
		i = i + 1
	end
	if not path then usage() end
	local f, why = io.open(path, "rb")
	local source = f and f:read("*a")
	if not source then
		io.stderr:write("add-marks: ", why or path .. ": cannot read", "\n")
		os.exit(3)
	end
	f:close()
	local ok, text = pcall(add_marks, source, path, header)
	if not ok then
		io.stderr:write("add-marks: ", text, "\n")
		os.exit(3)
	end
	local loads, limit = loaded(text, path)
	if not loads and loaded(source, path) then
		io.stderr:write("add-marks: with marks it does not load: ", limit, "\n")
		os.exit(3)
	end
	io.stdout:write(text)
end

main(...)
