# Nothing in it can be ranked, and that is said, with who has a report of it.
printf 'time_ms,frame,pss (B)\n0,1,10\n16,2,20\n' >a.csv
tm-top a.csv
tm-top -q a.csv
