# The binary form of a lua_Alloc log has what the text has; cut within a record; another version.
for form in text binary; do
	"$GEN/lualloc" --events 60 --frames 3 $form 2>truth >run.$form
	tm-import run.$form | tm-dump --no-tables >dump.$form
done
diff dump.text dump.binary | grep -v '^[0-9]'
awk '$1 == "kind" { allocs += $3 + $5; frees += $4 + $5 } $1 == "heap" { print } END { print allocs, frees }' truth
tail -n 1 dump.binary
head -c -5 run.binary | tm-import -q | tm-dump -q --no-events --no-tables | grep -E '^(note loss|totals)'
printf '\2' | dd of=run.binary bs=1 seek=8 conv=notrunc status=none
tm-import run.binary
