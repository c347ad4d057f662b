/* SPDX-License-Identifier: MIT
 *
 * Numbers of Chrome's trace events, exact where JSON writes no exponent.
 */
#include "formats/chrome/chrome.h"

#include "lib/base/num.h"

#include <math.h>

/* Exact where there is no exponent. */
bool chrome_time(const char *s, size_t n, bool is_number, int64_t *ns)
{
	const char *p = s, *end = s + n;
	bool negative = n && *s == '-';
	uint64_t whole = 0, fraction = 0;
	unsigned digits = 0;
	size_t len = 0;
	double d;

	p += negative;
	while (p + len < end && p[len] >= '0' && p[len] <= '9')
		len++;
	if (len && num_dec(p, len, &whole) && whole < INT64_MAX / 1000 - 1) {
		p += len;
		if (p < end && *p == '.')
			for (p++; p < end && *p >= '0' && *p <= '9'; p++)
				if (digits < 3) {
					fraction = fraction * 10 + (uint64_t)(*p - '0');
					digits++;
				}
		for (; digits < 3; digits++)
			fraction *= 10;
		if (p == end) {
			*ns = (int64_t)(whole * 1000 + fraction);
			*ns = negative ? -*ns : *ns;
			return true;
		}
	}
	if (!is_number || !num_double(s, n, &d) || fabs(d) > 9e15)
		return false;
	*ns = (int64_t)(d * 1000);
	return true;
}

bool chrome_number(const char *s, size_t n, decimal *v, bool *rounded)
{
	enum decimal_read read = decimal_parse(s, n, v);

	*rounded = read == DECIMAL_ROUNDED;
	return read <= DECIMAL_ROUNDED;
}
