/* SPDX-License-Identifier: MIT
 *
 * The entry into the sandbox (lib/sandbox), and the access to a store of runs.
 */
#include "lib/sandbox/sandbox.h"

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/cli/session.h"
#include "lib/db/db.h"
#include "lib/input/unpack.h"

#include <stdlib.h>
#include <string.h>

static void prepare(const struct sandbox_profile *p)
{
	static bool prepared;

	if (prepared)
		return;
	prepared = true;
	/* those that are not held start programs of other people, which would have the limit too */
	if (!(p->rights & SANDBOX_FREE) && !SANDBOX_SANITIZED)
		machine_hold_memory();
	if (p->rights & SANDBOX_SPOOL) /* it reads captures */
		unpack_prepare();
}

void cli_sandbox(const char *program, const char *when)
{
	const struct sandbox_profile *p = sandbox_profile(program, when);

	if (cli_now->host) /* who asks is in one */
		return;
	prepare(p);
	cli_info(NULL, "sandbox: %s", sandbox_enter(p));
}

void cli_sandbox_symbols(const char *program, const char *when)
{
	struct sandbox_profile p = *sandbox_profile(program, when);

	if (p.rights & SANDBOX_FREE || sandbox_entered() || cli_now->host)
		return;
	prepare(&p);
	p.rights |= sandbox_profile(SANDBOX_SYMBOLS, NULL)->rights;
	cli_info(NULL, "sandbox while symbols are looked up: %s", sandbox_enter(&p));
}

bool cli_store_file(const char *store)
{
	char *real, *slash;

	if (db_is_url(store))
		return false;
	real = realpath(store, NULL); /* where a link leads to */
	if (!real)
		real = mem_strdup(store);
	slash = strrchr(real, '/');
	if (slash)
		slash[1] = 0;
	sandbox_allow(SANDBOX_STORE, slash ? real : ".");
	if (!slash)
		free(real);
	/* Large sorts go to a file: where ours go, and not to the first folder of SQLite's list. */
	if (!getenv("TMPDIR"))
		setenv("SQLITE_TMPDIR", "/tmp", 0);
	return true;
}
