# Two functions of perf.profiler's report, columns of 40, 50 and 12.
{
	printf '|%-40s: %-50s: %-12s: %-12s: %-12s: %-12s|\n' FUNCTION SOURCE 'TOTAL(MS)' 'AVERAGE(MS)' RELATIVE CALLED
	printf '|%-40s: %-50s: %-12s: %-12s: %-12s: %-12s|\n' Update unit.lua:12 1.500 0.750 50.00% '      2'
	printf '|%-40s: %-50s: %-12s: %-12s: %-12s: %-12s|\n' '[anonymous]' '[C]' 0.007 0.007 0.23% '      1'
} >report.txt
tm-import report.txt | tm-dump
