/* SPDX-License-Identifier: MIT */
#include "lib/record/lua.h"

#include "lib/base/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How the file's name begins; folders of the module, below that of the capture library: as built, as installed. */
static const struct {
	const char *name, *folders[3];
} interpreters[] = {
    {"luajit", {"luajit", "tracemill/luajit"}},
    {"lua5.4", {"lua5.4", "lua/5.4", "../lua/5.4"}},
    {"lua5.3", {"lua5.3", "lua/5.3", "../lua/5.3"}},
    {"lua5.2", {"lua5.2", "lua/5.2", "../lua/5.2"}},
    {"lua5.1", {"lua5.1", "lua/5.1", "../lua/5.1"}},
};

static bool find_module(const char *library, const char *const folders[3], char path[PATH_MAX])
{
	struct buf b = BUF_INIT;
	bool there = false;

	for (size_t i = 0; i < 3 && folders[i] && !there; i++) {
		b.len = 0;
		buf_addf(&b, "%.*s%s/tracemill.so", (int)(path_base(library) - library), library,
			 folders[i]);
		there = realpath(buf_str(&b), path);
	}
	buf_release(&b);
	return there;
}

/* The trace is named after the script: game.lua.tmt. A name that would need quotes in Lua is not taken. */
static const char *lua_script(char *const *argv)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	for (size_t i = 1; argv[0] && argv[i]; i++) {
		const char *name = path_base(argv[i]);
		size_t n = strlen(name);

		if (*argv[i] != '-' && n > 4 && !strcmp(name + n - 4, ".lua"))
			return strspn(name, plain) == n ? name : "lua";
	}
	return "lua";
}

static void add_line(struct buf *line, const char *module, const char *program, char *const *argv)
{
	bool by_name = !strncmp(path_base(*argv), "lua", 3);
	const char *script = lua_script(argv);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%.*s?.so;;", (int)(path_base(module) - module), module);
	buf_adds(line, "LUA_CPATH=");
	buf_add_shell(line, buf_str(&b));
	buf_addc(line, ' ');
	buf_add_shell(line, by_name ? *argv++ : program);
	buf_addf(line, " -e 'require(\"tracemill\").start(\"%s.tmt\")'", script);
	for (; *argv; argv++) {
		buf_addc(line, ' ');
		buf_add_shell(line, *argv);
	}
	buf_release(&b);
}

bool lua_advice(struct buf *line, const char *program, const char *library, char *const *argv)
{
	char file[PATH_MAX], module[PATH_MAX];

	if (!realpath(program, file))
		return false;
	for (size_t i = 0; i < sizeof interpreters / sizeof *interpreters; i++) {
		const char *name = interpreters[i].name;

		if (strncmp(path_base(file), name, strlen(name)) != 0)
			continue;
		if (find_module(library, interpreters[i].folders, module))
			add_line(line, module, program, argv);
		return true;
	}
	return false;
}
