# leaf returns twice before its caller top; the file has a second header, and a comma for the point.
{
	h='stack_level\tfile_defined\tfunction_name\tline_defined\tcurrent_line\tlocal_time\ttotal_time'
	printf "$h\n1\t@run.lua\tleaf\t4\t5\t0.000016\t0.000017\n1\t@run.lua\tleaf\t4\t6\t0.000031\t0.000031\n"
	printf '0\t@run.lua\ttop\t6\t-1\t0.000010\t0.000058\n'
	printf "$h\n"'0\t(string)\t"a_function_with_a_v"\t-1\t7\t1,5\t1,500001\n'
} >lprof.out
tm-dump lprof.out
