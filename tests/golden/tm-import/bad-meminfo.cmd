# Numbers that are none or too large, more of them than columns, columns that an editor moved (their order counts), a dump that
# is before the one above, one without a time.
cat >bad.txt <<'END'
Applications Memory Usage (kB):
Uptime: 5000 Realtime: 2000
** MEMINFO in pid 7 [game] **
          Pss  Private
        Total    Dirty
       ------   ------
  Native Heap       24        x        1
  Dalvik Heap 99999999999999999999 1
  Ashmem 9223372036854775807 2
  Stack 1 2 3
  TOTAL 25 26
 Objects
   Views: many
Uptime: 4000 Realtime: 2000
** MEMINFO in pid 7 [game] **
          Pss  Private
        Total    Dirty
       ------   ------
        TOTAL       27   28
Uptime: never
** MEMINFO in pid 7 [game] **
       ------   ------
        TOTAL       29   30
** MEMINFO in pid 9 [
  TOTAL 31 32
END
tm-dump -f meminfo bad.txt
# A title alone; a table without columns; a script that prints such a text is none; zeros.
printf 'Applications Memory Usage (kB):\n** MEMINFO in pid 7 [game] **\n' | tm-import -o x.tmt
printf 'Applications Memory Usage (kB):\n** MEMINFO in pid 7 [game] **\n TOTAL 5\n' | tm-import -o x.tmt
printf 'txt = x\n\n\n\n\n\n\n\n\nApplications Memory Usage (kB):\n** MEMINFO in pid 7 [game] **\n TOTAL 5\n' | tm-import -o x.tmt
head -c 100000 /dev/zero | tm-import -f meminfo -o x.tmt
