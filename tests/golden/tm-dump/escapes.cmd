# Nothing from a file reaches a terminal as it is: quotes, backslashes, control bytes, C1 controls
# (here U+009B, which terminals take for ESC [), bytes that are not UTF-8. Letters stay.
printf '{"f":1,"d":[{"t":"a\\"b\\\\c\\u001b[31m\302\233\303\251","s":5,"r":8,"st":["0x10;"],"sz":[8]}]}\n' >run.mem
tm-dump --slide 0 run.mem | grep '^type '
