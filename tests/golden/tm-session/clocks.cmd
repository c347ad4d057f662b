# What is not shared is unknown: even frames, no dates; frames of another run; a log without a date.
"$GEN/session" even --frames 300 --jitter 0 --dates 0
tm-session --table files --as csv even
"$GEN/session" other --frames 300 --csv-other 1 --dates 0 --log-time 1
tm-session --table files --as csv other
# 80 parts of a million faster, 5 s ahead, from 5 ms to 5 s: at 2.5 s that is 5 s and 200 us. The log has a zone 8 hours ahead.
"$GEN/session" drift --frames 300 --lua-ppm 80 --lua-offset 5000000 --zone 0
tm-session --table files --as csv drift
