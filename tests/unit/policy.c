/* SPDX-License-Identifier: MIT
 *
 * lib/report/compare/policy.h: what a policy file says, and where it is wrong.
 */
#include "lib/report/compare/policy.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

static struct compare_policy parsed(const char *text)
{
	struct err e = ERR_INIT;
	struct compare_policy p;

	if (!CHECK_EQ(policy_parse(&p, "test", text, strlen(text), &e), ST_OK))
		printf("  %s\n", e.msg);
	return p;
}

static void wrong(const char *text, const char *want)
{
	struct err e = ERR_INIT;
	struct compare_policy p;

	CHECK_EQ(policy_parse(&p, "test", text, strlen(text), &e), ST_BAD);
	CHECK_STR(e.msg, want);
	CHECK_EQ(p.n_rules, 0);
}

#define SUBJECT(text)                           \
	&(struct name_suffix_name)              \
	{                                       \
		.name = text, .n = strlen(text) \
	}

TEST(rules_of_every_kind)
{
	struct compare_policy p =
	    parsed("\xef\xbb\xbf; a comment\n"
		   "[policy]\nalpha = 0.01\nruns=2\nseed=7\n"
		   "[rule total]\n"
		   "metric = requested ; inline\n"
		   "  percent = 2.5 %\n" /* indented, and no part of the line above */
		   "absolute = 64KiB\n"
		   "[rule textures]\r\n"
		   "metric = live-real\r\nkey = function\r\nmatch = ^Texture::\r\n"
		   "match = ^Mesh\r\nmax = 1.5Mi\r\ncumulative = yes\r\neach = yes\r\n"
		   "[rule new stacks]\nmetric = count\nkey = stack\nnew = 3\n"
		   "absolute = 10\ncount = 5\n"
		   "[rule named]\nmetric = real\ncoverage = 90\ndrop = 1\n"
		   "[rule life]\nmetric = lifetime\nabsolute = 1.5ms\nper = frame\n");

	CHECK_EQ(p.n_rules, 5);
	CHECK(fabs(p.alpha - 0.01) < 1e-12);
	CHECK_EQ(p.runs, 2);
	CHECK_EQ(p.rules[0].kind, POLICY_GROWTH);
	CHECK_EQ(p.rules[0].key, POLICY_TOTAL);
	CHECK_EQ(p.rules[0].metric, SUM_REQUESTED);
	CHECK(fabs(p.rules[0].percent - 2.5) < 1e-9);
	CHECK(p.rules[0].absolute == decimal_of(65536));
	CHECK_EQ(p.rules[0].line, 6);
	CHECK_EQ(p.rules[1].kind, POLICY_MAX);
	CHECK_EQ(p.rules[1].key, KEY_FUNCTION);
	CHECK_EQ(p.rules[1].metric, SUM_LIVE_REAL);
	CHECK(p.rules[1].max == decimal_of(1536 * 1024));
	CHECK(p.rules[1].cumulative && p.rules[1].each && isnan(p.rules[1].percent));
	CHECK(policy_about(&p.rules[1], SUBJECT("Mesh::load")));
	CHECK(policy_about(&p.rules[1], SUBJECT("Texture::load")));
	CHECK(!policy_about(&p.rules[1], SUBJECT("Sound::load")));
	CHECK_STR(p.rules[2].name, "new stacks");
	CHECK_EQ(p.rules[2].kind, POLICY_NEW);
	CHECK_EQ(p.rules[2].most_new, 3);
	CHECK(p.rules[2].absolute == decimal_of(10));
	CHECK_EQ(p.rules[2].count, 5);
	CHECK_EQ(p.rules[3].kind, POLICY_COVERAGE);
	CHECK(fabs(p.rules[3].percent - 90) < 1e-9 && fabs(p.rules[3].drop - 1) < 1e-9);
	CHECK(p.rules[4].absolute == decimal_of(1500000));
	CHECK_EQ(p.rules[4].per, PER_FRAME);
	policy_release(&p);
}

TEST(what_a_history_is_held_against)
{
	struct compare_policy p =
	    parsed("[policy]\nagainst = best of 10\n[rule sites]\nmetric = real\nkey = site\n"
		   "percent = 1\n[rule limit]\nmetric = real\nmax = 1\n"
		   "[rule heap]\nmetric = real\npercent = 1\n");

	CHECK_EQ(p.best_of, 10);
	CHECK(!p.against);
	policy_release(&p);
	p = parsed("[policy]\nagainst = best-2\n[rule limit]\nmetric = real\nmax = 1\n");
	CHECK_STR(p.against, "best-2");
	CHECK_EQ(p.best_of, 0);
	policy_release(&p);
}

TEST(names_of_older_builds)
{
	static const struct {
		const char *map, *was, *now;
	} cases[] = {
	    {"load=start", "load", "start"},
	    {"a::operator==(a const&)=same(a const&)", "a::operator==(a const&)", "same(a const&)"},
	    {"a::operator=(a&)=set(a&)", "a::operator=(a&)", "set(a&)"},
	    {"a::operator<=(a)=b::operator<=(a)", "a::operator<=(a)", "b::operator<=(a)"},
	    {"cooperator=x", "cooperator", "x"},
	};
	struct compare_policy p;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[256];

		snprintf(text, sizeof text,
			 "[policy]\nmap-module = m=n\nmap-function = %s\n[rule limit]\nmetric = "
			 "real\nmax = 1\n",
			 cases[i].map);
		p = parsed(text);
		CHECK_EQ(p.n_functions, 1);
		CHECK_EQ(p.n_modules, 1);
		CHECK_STR(p.functions[0].was, cases[i].was);
		CHECK_STR(p.functions[0].now, cases[i].now);
		CHECK_STR(p.modules[0].was, "m");
		policy_release(&p);
	}
	wrong("[policy]\nmap-function = load\n",
	      "line 2, column 16: 'load' is not a map of names, OLD=NEW");
}

TEST(waivers_expire)
{
	struct compare_policy p =
	    parsed("[waiver w]\nrule = r\nmatch = ^A\nuntil = 2026-02-28\n"
		   "reason = art is late\n[rule r]\nmetric = count\nabsolute = 0\n"
		   "[rule s]\nmetric = count\nabsolute = 0\n");
	const struct policy_waiver *old;

	CHECK(policy_waived(&p, 0, SUBJECT("Atlas"), 0, "2026-02-28", &old) == &p.waivers[0] &&
	      !old);
	CHECK(!policy_waived(&p, 0, SUBJECT("Atlas"), 0, "2026-03-01", &old) &&
	      old == &p.waivers[0]);
	CHECK(!policy_waived(&p, 0, SUBJECT("Mesh"), 0, "2026-02-28", NULL));
	CHECK(!policy_waived(&p, 1, SUBJECT("Atlas"), 0, "2026-02-28", NULL));
	CHECK_STR(p.waivers[0].reason, "art is late");
	policy_release(&p);
}

TEST(dates)
{
	CHECK(policy_date("2024-02-29") && policy_date("2000-02-29") && policy_date("2026-12-31"));
	CHECK(!policy_date("2026-02-29") && !policy_date("1900-02-29") &&
	      !policy_date("2026-13-01") && !policy_date("2026-04-31") &&
	      !policy_date("2026-1-01") && !policy_date("2026-01-00") && !policy_date(""));
}

#define RULE "[rule r]\nmetric = requested\n"

TEST(errors_have_line_and_column)
{
	wrong("", "line 1, column 1: the policy has no [rule NAME]: it would check nothing");
	wrong("[policy]\n",
	      "line 1, column 1: the policy has no [rule NAME]: it would check nothing");
	wrong("metric = real\n", "line 1, column 1: 'metric' stands before the first section");
	wrong("[rule]\n", "line 1, column 6: a rule or waiver needs a name");
	wrong("[rule r\n", "line 1, column 8: a section ends with ']'");
	wrong("\n [rules r]\n",
	      "line 2, column 3: a section is [policy], [rule NAME] or [waiver NAME]");
	wrong(RULE, "line 1, column 1: the rule needs percent, absolute, max, new or coverage");
	wrong("[rule r]\npercent = 5\n", "line 1, column 1: the rule has no metric");
	wrong(RULE "percent\n", "line 3, column 1: neither a [section] nor 'name = value'");
	wrong(RULE "percent\n[what]\n", "line 3, column 1: neither a [section] nor 'name = value'");
	wrong(RULE "  percent =  five\n", "line 3, column 14: 'five' is not a percentage");
	wrong(RULE "percent = 2 # x\n", "line 3, column 13: a '#' among blanks: ' ;' begins a "
					"comment; a '#' of the value has a backslash before it");
	wrong(RULE "absolute = 16 KiB\n", "line 3, column 12: '16 KiB' is not a size: write 16KiB");
	wrong("[rule r]\nmetric: real\n",
	      "line 2, column 7: 'metric' is followed by ':': write 'metric ='");
	wrong("[policy]\nruns = 0\n", "line 2, column 8: '0' is not a number of runs from 1 on");
	wrong(RULE "percent = -5\n", "line 3, column 11: '-5' is not a percentage");
	wrong(RULE "percent = 5k\n", "line 3, column 11: '5k' is not a percentage");
	wrong(RULE "absolute = 5 parsecs\n", "line 3, column 12: '5 parsecs' is not a size");
	wrong(RULE "absolute = 99999999999999999999\n",
	      "line 3, column 12: '99999999999999999999' is not a size");
	wrong(
	    "[rule r]\nmetric = weight\nmax = 1\n",
	    "line 2, column 10: 'weight' is not a metric: counter:NAME, count, entries, requested, "
	    "real, slack, live-count, live-requested, live-real, freed-count, freed-requested, "
	    "freed-real, peak-count, peak-requested, peak-real, temporary, lifetime, self-time, "
	    "total-time, calls, mean-time, lua-net, mono-net, samples, "
	    "period, waiting");
	wrong(
	    RULE "key = frame\nmax = 1\n",
	    "line 3, column 7: 'frame' is not a key: total, type, function, site, stack, location, "
	    "file, module, thread or owner");
	wrong(RULE "max = 1\npercent = 5\n", "line 4, column 1: 'percent' does not go with 'max'");
	wrong(RULE "max = 1\nmax = 2\n", "line 4, column 1: 'max' is a repetition of line 3");
	wrong(RULE "new = 1\n", "line 1, column 1: 'new' needs a key, such as stack");
	wrong(RULE "max = 1\nmatch = x\n",
	      "line 1, column 1: 'match' needs a key, such as function");
	wrong(RULE "max = 1\nkey = file\ncumulative = yes\n",
	      "line 5, column 1: 'cumulative' needs 'each': totals overlap");
	wrong(RULE "maximum = 1\n", "line 3, column 1: a rule has no setting 'maximum'");
	wrong(RULE "max = 1\n" RULE, "line 4, column 7: rule 'r' is a repetition of line 1");
	wrong("[waiver w]\nrule = r\nuntil = 2026-02-30\nreason = x\n" RULE "max = 1\n",
	      "line 3, column 9: '2026-02-30' is not a date (YYYY-MM-DD)");
	wrong("[waiver w]\nrule = r\nmatch =\nuntil = 2026-02-03\nreason = x\n" RULE "max = 1\n",
	      "line 3, column 8: 'match' has no value");
	wrong(RULE "key = site\nmatch = \nmax = 1\n", "line 4, column 8: 'match' has no value");
	wrong("[rule r] x\n", "line 1, column 11: a section ends with ']': ' ;' begins a comment, "
			      "unless a backslash is before the ';'");
	wrong("[rule r] [x]\n", "line 1, column 9: a section ends with ']': ' ;' begins a comment, "
				"unless a backslash is before the ';'");
	wrong("[waiver w]\nrule = q\nuntil = 2026-02-03\nreason = x\n" RULE "max = 1\n",
	      "line 1, column 1: waiver 'w': no rule 'q' exists");
	wrong("[waiver w]\nrule = r\nuntil = 2026-02-03\n" RULE "max = 1\n",
	      "line 1, column 1: the waiver has no 'reason'");
	wrong("[policy]\nagainst = best of 0\n",
	      "line 2, column 11: 'best of 0' is not 'best of N' with a number of builds");
	wrong("[policy]\nagainst = a\nagainst = b\n",
	      "line 3, column 1: 'against' is a repetition of line 2");
	wrong("[policy]\nalpha = 5\n", "line 2, column 9: '5' is not a rate above 0 and up to 0.5");
}

TEST(a_bad_expression_has_a_place)
{
	struct err e = ERR_INIT;
	const char *text = RULE "key = type\nmatch = a(b\nmax = 1\n";
	struct compare_policy p;

	CHECK_EQ(policy_parse(&p, "test", text, strlen(text), &e), ST_BAD);
	CHECK(strstr(e.msg, "line 4, column 9: the expression: column 4: ") == e.msg);
}

/* Nothing is cut. */
TEST(long_lines)
{
	static char text[40000];
	struct err e = ERR_INIT;
	struct compare_policy p;

	memset(text, 'x', sizeof text);
	memcpy(text, "[rule r]\nmatch = ", 17);
	CHECK_EQ(policy_parse(&p, "test", text, sizeof text, &e), ST_BAD);
	CHECK_STR(e.msg, "line 2, column 9: the expression: column 39984: regular expression is "
			 "too large");
	text[9] = '#';
	memcpy(text + sizeof text - 30, "\nmetric=count\nmax=1\n[rule s]\n", 29);
	text[sizeof text - 1] = '\n';
	CHECK_EQ(policy_parse(&p, "test", text, sizeof text, &e), ST_BAD);
	CHECK(strstr(e.msg, "line 5, column 1: the rule has no metric") != NULL);
	/* Names of templates are longer: an expression may be, up to its comment. */
	memset(text, 'x', sizeof text);
	memcpy(text, "[rule r]\nmetric=count\nkey=site\nmax=1\nmatch = ", 45);
	memcpy(text + 4000, "$ ; why", 7);
	if (CHECK_EQ(policy_parse(&p, "test", text, 4007, &e), ST_OK)) {
		CHECK_EQ(strlen(match_pattern(p.rules[0].match[0])), 4001 - 45);
		policy_release(&p);
	}
	memset(text, 'x', sizeof text);
	memcpy(text, "[rule ", 6);
	memcpy(text + 300, "]\nmetric=count\nmax=1\n", 21);
	CHECK_EQ(policy_parse(&p, "test", text, 321, &e), ST_BAD);
	CHECK(strstr(e.msg, "line 1, column 7: the name is longer than 200 bytes") != NULL);
}

/* Every prefix and every changed byte of a good file parses or fails in order. */
TEST(damage)
{
	static const char good[] =
	    "[policy]\nalpha=0.1\n[rule r]\nmetric=real\nkey=site\nmatch=^a\n"
	    "percent=5\n[waiver w]\nrule=r\nmatch=b\nuntil=2026-01-01\nreason=c\n";
	size_t n = sizeof good - 1;

	for (size_t cut = 0; cut <= n; cut++)
		for (int change = 0; change < 4; change++) {
			char copy[sizeof good];
			struct err e = ERR_INIT;
			struct compare_policy p;

			memcpy(copy, good, sizeof good);
			copy[cut] = "\0[=\n"[change];
			if (!policy_parse(&p, "test", copy, change ? n : cut, &e)) {
				CHECK(p.n_rules == 1);
				policy_release(&p);
			} else {
				CHECK(strstr(e.msg, "line ") == e.msg);
			}
		}
}

TEST_MAIN()
