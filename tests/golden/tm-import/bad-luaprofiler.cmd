# A name with a tab is read, a negative time and a missing field are not; a call whose caller had not
# returned is put under the nearest one.
{
	printf 'stack_level\tfile_defined\tfunction_name\tline_defined\tcurrent_line\tlocal_time\ttotal_time\n'
	printf '2\t@run.lua\ta\tb\t4\t5\t0.000016\t0.000017\n'
	printf '0\t@run.lua\tbad\t4\t5\t-0.000016\t0.000017\n0\t@run.lua\tbad\t4\t5\t0.1\n'
} >lprof.out
tm-import lprof.out | tm-dump
