# Two dumps, a second apart: Native Heap has 0, then 1 kB; TOTAL 400 and 401; a row has a number where its column ends. Parcel
# memory is 5 kB, Views are objects.
$GEN/table -n 2 meminfo 2>err >m.txt
cat err
tm-dump m.txt
tracemill show m.txt | head -n 1
# Android 4.3 has a column of one name, and other rows. Two processes are two captures.
cat >old.txt <<'END'
$ adb shell dumpsys meminfo -a
Applications Memory Usage (kB):
Uptime: 1000 Realtime: 2000

** MEMINFO in pid 7 [com.example.one] **
                         Shared  Private     Heap
                   Pss    Dirty    Dirty     Size
                ------   ------   ------   ------
       Native       24        8       25     1129
       Cursor        1        2        3
        TOTAL       25       10       28     1129

** MEMINFO in pid 8 [com.example.two] **
                         Shared  Private     Heap
                   Pss    Dirty    Dirty     Size
                ------   ------   ------   ------
       Native       44        8       25     1129
 Asset Allocations
    zip:/data/app/com.example.two.apk:/assets/a.ttf: 132K

Total PSS by process:
    30 kB: com.example.one (pid 7)
END
tm-dump old.txt
# -a and -d: eight columns of one heading, and Dalvik's parts.
cat >a.txt <<'END'
Applications Memory Usage (in Kilobytes):

** MEMINFO in pid 8118 [com.example.game] **
                   Pss      Pss   Shared  Private   Shared  Private  SwapPss     Heap
                 Total    Clean    Dirty    Dirty    Clean    Clean    Dirty     Size
                ------   ------   ------   ------   ------   ------   ------   ------
     .so mmap     9349     6092     1072      420    14984     6093       31         
 
 Dalvik Details
   .Boot vdex     8099     6236        0        1     8008     6237        2         
 
 SQL
         MEMORY_USED:      165
END
tm-dump a.txt
