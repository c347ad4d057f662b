# What is no object is named.
printf 'MZ\220\0\3\0\0\0' >game.dll
printf '\0asm\1\0\0\0' >game.wasm
printf 'text\n' >notes.txt
printf "\37\213\10\0" >game.wasm.gz
for f in game.dll game.wasm notes.txt game.wasm.gz; do tm-addr2line -e $f 0x10; done
printf 'dyld_v1  arm64e\0\0\0' >dyld_shared_cache_arm64e
tm-addr2line -e dyld_shared_cache_arm64e 0x10
