/* SPDX-License-Identifier: MIT
 *
 *	report [--kind sample|hostile|big|empty] [--rows N] [--stacks N] [options of reports]
 *
 * A document with every kind of section, printed like any program's report: what the tests of the
 * formats look at. All numbers follow from the loops below. hostile: names that drive terminals,
 * spreadsheets, pages and parsers; big: more rows and nodes than a page makes elements of, and
 * more points than it holds. --rows and --stacks: how many, 0 being as many as the kind has.
 */
#include "lib/cli/report.h"

#include "lib/base/mem.h"
#include "testdata/gen/gen.h"

#include <stdlib.h>
#include <string.h>

enum kind { SAMPLE, HOSTILE, BIG, EMPTY };
static const char *const kinds[] = {"sample", "hostile", "big", "empty", NULL};

static const char *const plain_names[] = {"Game::Tick(float)",
					  "Particles::Spawn(int, float)",
					  "std::vector<Contact, std::allocator<Contact> >::reserve",
					  "Physics::Solve",
					  "Render::Submit",
					  "Audio::Mix",
					  "Lua::Collect",
					  "Script::Call"};
static const char *const hostile_names[] = {
    "</script><script>document.title='owned'</script>",
    "\"><img src=x onerror=\"document.title='owned'\">",
    "=cmd|' /C calc'!A0",
    "a|b`c``d*e_f[g](h)@user #1 <b>",
    "line\nend\rtab\tnul-free \x1b[2J\x07 \xff\xfe\xc3 \xe2\x80\xa8\xe2\x80\xa9 \xef\xbf\xbf",
    "]]>--><!-- & &amp; {{x}} ${y} \\",
    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e e\xcc\x81 \xf0\x9f\x98\x80 \xe2\x80\xae rtl",
    ""};

static const char *const *names;
static enum kind kind;

static const char *name(size_t i)
{
	return names[i % 8];
}

static struct table_column tree_columns[] = {
    {.key = "function", .title = "function", .flags = COLUMN_TREE | COLUMN_SHORTEN},
    {.key = "base", .title = "base", .type = COLUMN_BYTES},
    {.key = "new", .title = "new", .type = COLUMN_BYTES},
    {.key = "delta", .title = "delta", .type = COLUMN_BYTES, .flags = COLUMN_SIGNED},
    {.key = "change", .title = "change", .type = COLUMN_PERCENT, .flags = COLUMN_SIGNED},
    {.key = "time_ns", .title = "time", .type = COLUMN_TIME},
    {.key = "per_call", .title = "per call", .type = COLUMN_NUMBER, .decimals = 3},
    {.key = "at", .title = "at", .flags = COLUMN_PATH | COLUMN_SHORTEN},
};

static const char *row_details[2];

/* In hundredths of a percent, rounded half away from 0; not present for a from of 0. */
static struct table_cell change(uint64_t from, uint64_t to)
{
	struct table_cell c = cell_difference(from, to);

	if (!from)
		return (struct table_cell){.present = false};
	c.number = (c.number * 20000 + from) / (from * 2);
	return c;
}

static void fill_tree(void *arg, size_t i, struct table_row *r)
{
	uint64_t base = (i * 7919 % 1000) * 1024, new = (i * 104729 % 1000) * 1024;

	(void)arg;
	r->depth = (uint32_t)(i % 4);
	r->cells[0] = cell_text(name(i), strlen(name(i)));
	r->cells[1] = cell_number(base);
	r->cells[2] = cell_number(new);
	r->cells[3] = cell_difference(base, new);
	r->cells[3].mark = new > base ? MARK_BAD : new < base ? MARK_GOOD : MARK_NONE;
	r->cells[4] = change(base, new);
	if (i % 3)
		r->cells[5] = cell_number(i * 123457);
	r->cells[6] = cell_number((new * 2000 + i + 1) / (i * 2 + 2)); /* rounded thousandths */
	r->cells[7] = cell_text("src/game/world.cpp:42", 21);
	if (i % 5 == 1) {
		row_details[0] = name(i + 1);
		row_details[1] = "main  src/main.cpp:10";
		r->details = row_details;
		r->n_details = 2;
		r->more = "... 3 more calls";
	}
}

static void make_flame(struct flame *f, size_t stacks)
{
	uint64_t seed = 1;

	f->name = "stacks";
	f->title = "requested bytes by stack";
	f->type = COLUMN_BYTES;
	for (size_t i = 0; i < stacks; i++) {
		uint32_t at = FLAME_ROOT;
		uint64_t v;

		v = lcg(&seed) >> 33;
		for (size_t depth = 0; depth < 3 + v % 9; depth++) {
			char place[32];
			size_t k = v / (depth * 3 + 1);

			snprintf(place, sizeof place, "world.cpp:%u",
				 (unsigned)(kind == BIG ? k % 1000 : k % 3));
			at = flame_child(f, at, name(k), strlen(name(k)), place, strlen(place));
		}
		flame_add(f, at, v % 5000, f->differential ? v % 3000 + (i % 7) * 300 : 0);
	}
}

enum { FRAMES = 600, FRAMES_BIG = 200000 };

static void make_series(struct table_series *s, struct series_line *lines, size_t n)
{
	int64_t *x = mem_array(n, sizeof *x);
	decimal *bytes = mem_array(2 * n, sizeof *bytes), *calls = bytes + n;

	for (size_t i = 0; i < n; i++) {
		x[i] = (int64_t)i + 1;
		bytes[i] =
		    decimal_of(200000 + (int64_t)(i * 7919 % 9000) + (i % 97 == 50 ? 400000 : 0));
		calls[i] = i % 50 == 7 ? SERIES_ABSENT : decimal_of((int64_t)(1000 + i * 31 % 400));
	}
	lines[0] = (struct series_line){
	    .key = "requested", .title = "requested", .type = COLUMN_BYTES, .y = bytes};
	lines[1] =
	    (struct series_line){.key = "calls", .title = name(3), .type = COLUMN_INT, .y = calls};
	*s = (struct table_series){.name = "frames",
				   .title = "allocation per frame",
				   .x_title = "frame",
				   .x_type = COLUMN_INT,
				   .n_points = n,
				   .x = x,
				   .lines = lines,
				   .n_lines = 2};
}

static const char *policy_notes[] = {"waiver 'old' of rule 'leaks' is not needed"};
static struct breach breaches[] = {{.subject = "Particles::Spawn(int, float)",
				    .fact = "Particles::Spawn(int, float) allocates 1.4 MiB a run, "
					    "was 1.3 MiB (limit +5 %).",
				    .callers = "Game::Tick() < main",
				    .look = "tracemill view 'run 1.tmt'",
				    .accept = "[waiver spawn]\nrule = growth\nmatch = ^Particles\n",
				    .message = "grew by 7.1 %",
				    .measured = "1.4 MiB",
				    .limit = "1.3 MiB",
				    .file = "src/game/particles one.cpp",
				    .line = 87},
				   {.subject = "Lua::Collect",
				    .message = "is new",
				    .measured = "300.0 KiB",
				    .limit = "0 B",
				    .file = "C:\\game\\lua.cpp",
				    .line = 12},
				   {.subject = "total", .message = "over its limit"}};

static struct table_check all_checks[] = {
    {.name = "total-requested",
     .category = "total",
     .verdict = VERDICT_PASS,
     .message = "requested bytes per frame",
     .measured = "201.0 KiB",
     .limit = "256.0 KiB",
     .policy_line = 3},
    {.name = "growth",
     .category = "growth",
     .verdict = VERDICT_FAIL,
     .message = "growth of any function",
     .measured = "+7.10%",
     .limit = "+5.00%",
     .policy_line = 9,
     .breaches = breaches,
     .n_breaches = 3},
    {.name = "leaks",
     .category = "live",
     .verdict = VERDICT_WAIVED,
     .message = "live bytes at the end",
     .waiver = "cache warms up, until 2030-01-01",
     .policy_line = 14,
     .breaches = breaches + 2,
     .n_breaches = 1},
    {.name = "noise",
     .category = "growth",
     .verdict = VERDICT_INCONCLUSIVE,
     .message = "3 runs are too few",
     .policy_line = 20},
    {.name = "faster", .category = "growth", .verdict = VERDICT_IMPROVED, .measured = "-3.00%"}};

int main(int argc, char **argv)
{
	struct cli_report report = {0};
	int chosen = 0;
	uint64_t rows = 0, stacks = 0;
	const struct opt options[] = {
	    ROW_CHOICE(0, "kind", "KIND", "sample, hostile, big or empty", &chosen, kinds),
	    ROW_NUMBER(0, "rows", "N", "of the table", &rows),
	    ROW_NUMBER(0, "stacks", "N", "of the flame graph", &stacks),
	    CLI_CHECKED_REPORT_ROWS(report),
	    OPT_END,
	};
	const struct opt_program program = {"report", "", "Prints a sample report.", options};
	struct table_document d = {.program = "report", .title = "sample report"};
	struct flame flame = FLAME_INIT, difference = FLAME_INIT;
	struct table_series series;
	struct series_line lines[2];
	struct series_mark marks[] = {{50, 50, MARK_BAD, "spike: 3.0 x the median"},
				      {100, 120, MARK_WARN, "20 frames over the budget"}};
	struct series_limit limits[] = {{0, 500000, "budget"}};
	struct table_checks checks = {.name = "policy",
				      .title = "budgets",
				      .policy = "budget.ini",
				      .items = all_checks,
				      .notes = policy_notes,
				      .n_notes = 1};
	struct table tree = {.name = "tree",
			     .title = "functions, base against new",
			     .flags = TABLE_TREE,
			     .columns = tree_columns,
			     .n_columns = sizeof tree_columns / sizeof *tree_columns,
			     .fill = fill_tree};
	struct table_cell totals[sizeof tree_columns / sizeof *tree_columns] = {{.present = false}};
	const char *notes[] = {"a note of the table"};

	opt_parse(&program, argc, argv);
	cli_report_start(&report);
	kind = (enum kind)chosen;
	names = kind == HOSTILE ? hostile_names : plain_names;
	if (kind == HOSTILE) {
		d.title = tree.title = hostile_names[0];
		notes[0] = hostile_names[4];
		marks[0].text = hostile_names[1];
		limits[0].title = hostile_names[0];
		breaches[0].subject = hostile_names[4];
		breaches[0].fact = breaches[0].callers = hostile_names[4];
		policy_notes[0] = hostile_names[1];
		breaches[0].file = "src/a b#c?d%.cpp";
		breaches[1].subject = hostile_names[0];
		all_checks[1].name = hostile_names[5];
		all_checks[1].message = hostile_names[3];
		checks.policy = hostile_names[1];
	}
	tree.n_rows = rows ? rows : kind == BIG ? 50000 : kind == EMPTY ? 0 : 24;
	totals[0] = cell_text("(all)", 5);
	totals[2] = cell_number(1 << 20);
	tree.totals = totals;
	tree.n_totals = 1;
	tree.notes = notes;
	tree.n_notes = 1;
	checks.n_items = kind == EMPTY ? 0 : sizeof all_checks / sizeof *all_checks;
	difference.differential = true;
	if (kind != EMPTY) {
		make_flame(&flame, stacks ? stacks : kind == BIG ? 100000 : 300);
		make_flame(&difference, 300);
	}
	difference.name = "difference";
	difference.title = "requested bytes, base against new";
	difference.base_label = "base.tmt";
	difference.new_label = "new.tmt";
	make_series(&series, lines, kind == BIG ? FRAMES_BIG : kind == EMPTY ? 0 : FRAMES);
	series.marks = marks;
	series.n_marks = kind == EMPTY ? 0 : 2;
	series.limits = limits;
	series.n_limits = 1;
	document_input(&d, kind == HOSTILE ? hostile_names[4] : "base.tmt", "base");
	document_input(&d, "new.tmt", NULL);
	document_fact(&d, "frames", "1 to 600");
	document_checks(&d, &checks);
	document_table(&d, &tree);
	document_series(&d, &series);
	document_flame(&d, &flame);
	document_flame(&d, &difference);
	document_note(&d, "a note of the report");
	cli_report_print(&report, &d);
	document_release(&d);
	flame_release(&flame);
	flame_release(&difference);
	free((void *)(uintptr_t)series.x);
	free((void *)(uintptr_t)lines[0].y);
	return cli_exit();
}
