# A row without a number, and a call that had not ended.
$GEN/insights --frames 3 damaged 2>truth | tm-dump | grep -e note -e totals
grep calls truth
# Decimals of a locale; a column that is missing; lists alone; both kinds of tables; nothing.
printf 'ThreadId;TimerId;StartTime;EndTime;Depth\n1;2;0,5;0,7;0\n' | tm-import
printf 'ThreadId,TimerId,StartTime,Depth\n1,2,0.5,0\n' | tm-import
printf 'Id,Type,Name,File,Line\n1,CPU,Tick,,0\n' | tm-import
printf 'Id,Type,Name\n1,int64,Draws\n' | tm-import -f insights
printf 'Name,Count,Incl,Excl\nA,1,1,1\nTimerName,StartTime,EndTime\nA,1,2\n' | tm-import 2>&1 >/dev/null
printf 'TimerName,StartTime,EndTime\n' | tm-import
# Cut within a row.
printf 'ThreadId,TimerId,StartTime,EndTime,Depth\n1,2,0.5,0.7,0\n1,2,0.' | tm-dump | grep -e note -e totals
