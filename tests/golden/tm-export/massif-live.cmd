# A snapshot of massif says how many bytes are live, and not how many blocks: no number of blocks is in any form, as it is in
# no report.
$GEN/massif --snapshots 4 plain >massif.out 2>err
tm-export --as speedscope massif.out | grep -o '"sampled","name":"[^"]*"'
tm-export --as sqlite -o massif.db massif.out
sqlite3 massif.db 'SELECT count(*), count(requested), count(live_requested), count(live_count) FROM allocations'
tm-top -q --csv massif.out | cut -d , -f 3,6,7
