# Logs by their dates; times are worked out by hand. RFC 3339: 1.5 s later, and the same moment in another zone; the second
# line has no time of its own.
printf '%s\n' '2026-02-03T13:52:02.500Z INFO loading level 3' '	at Game.load' '2026-02-03T13:52:04.000Z WARN slow' '2026-02-03T14:52:04.000+01:00 the same moment' >iso.log
tm-dump -f log iso.log
# 13:52:02.5 on 2026-02-03 is 20,487 days, 49,922.5 s after 1970. Without a zone it is said to be unknown.
printf '%s\n' '2026-02-03 13:52:02,500 a' '2026-02-03 13:52:02,501 b' '2026-02-04 00:00:00,000 c' | tm-dump -f log - | grep -e date -e '^log'
# Minetest has a colon behind the time, which is not of the text.
printf '%s\n' '2026-02-03 13:52:02: ACTION[Main]: a' '2026-02-03 13:52:03: WARNING[Server]: b' '2026-02-03 13:52:04: ERROR[Main]: c' | tm-dump -f log - | grep '^log'
# Unreal's are in UTC.
printf '%s\n' '[2026.02.03-13.52.02:500][ 42]LogTemp: Warning: a' '[2026.02.03-13.52.02:600][ 43]LogTemp: Error: b' '[2026.02.03-13.52.03:500][ 99]LogInit: c' >unreal.log
tm-dump -f log unreal.log | grep -e date -e '^log' -e '^marker'
# logcat has no year: no date. From the last day of the year to the first is a day.
printf '%s\n' '12-31 23:59:59.000  1234  1250 W Unity   : late' '01-01 00:00:01.000  1234  1250 E Unity   : early' '01-01 00:00:02.000  1234  1250 I Unity   : next' >logcat.txt
tm-dump -f log logcat.txt | grep -e date -e '^log' -e '^marker'
# The time of a day alone: past midnight.
printf '%s\n' '[23:59:59.750] a' '[00:00:00.250] b' '[00:00:01.250] c' >day.log
tm-dump -f log day.log | grep -e date -e '^log'
# A text with one such line is none; nor are times that are no times.
printf '%s\n' '2026-02-03 10:00:00 one' two three four five six >text.log
tm-dump text.log
printf '%s\n' '2026-13-03 10:00:00 a' '99:99:99 b' '12:34 c' >wrong.log
tm-dump -f log wrong.log
