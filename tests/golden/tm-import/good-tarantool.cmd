# memprof: C function alloc at 0x10, Lua function @a.lua:5 at 0x20. Lua line 6 allocates 32 bytes at
# 0x1000; C grows them to 64 at 0x2000; the VM frees these.
{
	printf 'ljs\3\0\0\0' && printf '\1\20\5alloc' && printf '\0\40\6@a.lua\5' && printf '\200'
	printf 'ljm\3\0\0\0' && printf '\11\40\6\200\40\40' && printf '\17\20\200\40\40\200\100\100'
	printf '\6\200\100\100' && printf '\200'
} >memprof.bin
tm-dump memprof.bin
# sysprof: a C function's sample. Host: 0x18 (in alloc) called from 0x45 (in lua_pcall) from 0x12;
# Lua: the function, called from nothing. So: 0x12, lua_pcall, Lua, 0x18.
{
	printf 'ljs\3\0\0\0' && printf '\1\20\5alloc' && printf '\1\100\11lua_pcall'
	printf '\0\40\6@a.lua\5' && printf '\200'
	printf 'ljp\2\0\0\0' && printf '\1\1\40\7\200\30\105\22\0' && printf '\11\3\40\5' && printf '\200'
} >sysprof.bin
tm-dump sysprof.bin
