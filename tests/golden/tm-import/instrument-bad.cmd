# Other versions, byte orders and clocks are refused by name.
put() { printf 'tmcalls\0'; printf "$1"; printf '\0\0\0\0\0\0\0\0'; }
put '\2\0\10\0\0\0\0\0\1\0\0\0\0\0\0\0' | tm-import
put '\0\1\10\0\0\0\0\0\1\0\0\0\0\0\0\0' | tm-import
put '\1\0\3\0\0\0\0\0\1\0\0\0\0\0\0\0' | tm-import
put '\1\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0' | tm-import
printf 'tmcalls' | tm-import
# A directory without uftrace's data is still a directory.
mkdir empty && tm-import empty
mkdir half && printf 'Ftrace!\0\4\0\0\0\50\0\1\2\0\0\0\0\0\0\0\0' >half/info && tm-import half
printf 'Ftrace!\0\3\0\0\0\50\0\1\2\0\0\0\0\0\0\0\0' >half/info && tm-import half
printf 'Ftrace!\0\4\0\0\0\50\0\2\2\0\0\0\0\0\0\0\0' >half/info && tm-import half
