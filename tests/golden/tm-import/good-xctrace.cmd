# Samples of 1, 2, 3, 4, 1 and 2 ms of two threads, of main, update and draw in turn, whose names the generator has; the
# same in thousands of cycles; blocks of 16 to 96 bytes, of which each third was freed; classes with 1 to 6 live blocks.
$GEN/profilers --rows 6 xctrace 2>err | tm-dump
cat err
for v in xctrace-cycles xctrace-heap xctrace-sums; do
	$GEN/profilers --rows 6 $v 2>err | tm-dump -q | grep -e ^capture -e ^sample -e ^profile
	cat err
done
# Rows that stand in many lines, a thread without a number, a stack without an element of its own.
cat >p.xml <<'END'
<?xml version="1.0"?>
<trace-query-result>
  <node>
    <schema name="time-profile"/>
    <row>
      <thread id="1" fmt="Main Thread (0x1)"/>
      <weight
        id="2">1500000</weight>
      <tagged-backtrace id="3"><frame id="4" name="a-&gt;b"/><frame name="main"/></tagged-backtrace>
    </row>
    <row><thread ref="1"/><weight ref="2"/><tagged-backtrace ref="3"/></row>
  </node>
</trace-query-result>
END
tm-dump -q p.xml
