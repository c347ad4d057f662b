# What others write and no reader takes is named, with the way there or the reason why there is no
# way.
printf '2CRT\0\0\0\0\0\0' >a.utrace
printf 'tr\375P\2\1' >a.tracy
printf 'bplist00\0\0' >a.memgraph
printf 'FLR\0\0\2\0\1' >a.jfr
printf 'MZ\220\0' >a.exe
printf 'Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0' >a.pdb
printf '\0asm\1\0\0\0' >a.wasm
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n' >a.loli
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0' >core
printf '\1\2\3' >a.etl
for f in a.utrace a.tracy a.memgraph a.jfr a.exe a.pdb a.wasm a.loli core a.etl; do tm-import $f; done
